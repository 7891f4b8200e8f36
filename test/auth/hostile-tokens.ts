import type { HostileCall, HostileSource } from './hostile-call.ts'
import { audienceCalls, claimCalls, issuerCalls, timeCalls } from './hostile-claims.ts'
import { algorithmCalls, headerCalls } from './hostile-headers.ts'
import { shapeCalls, transportCalls } from './hostile-shapes.ts'

export function hostileCalls(source: HostileSource): readonly HostileCall[] {
  return [
    ...algorithmCalls(source),
    ...headerCalls(source),
    ...audienceCalls(source),
    ...issuerCalls(source),
    ...timeCalls(source),
    ...claimCalls(source),
    ...shapeCalls(source),
    ...transportCalls(source),
  ]
}
