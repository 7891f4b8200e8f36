import type { AdminParts } from './admin-parts.ts'
import { eventOperations } from './event-operations.ts'
import { keyOperations } from './key-operations.ts'
import type { Operation } from './operation.ts'
import { serviceAccountOperations } from './service-account-operations.ts'
import { sessionOperations } from './session-operations.ts'
import { usageOperations } from './usage-operations.ts'

/** All of `/api/v1`. */
export function adminOperations(parts: AdminParts): readonly Operation[] {
  return [
    ...sessionOperations(parts),
    ...eventOperations(parts),
    ...keyOperations(parts),
    ...serviceAccountOperations(parts),
    ...usageOperations(parts),
  ]
}
