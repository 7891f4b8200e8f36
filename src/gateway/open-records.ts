import { openRecorder, type Recorder } from '../audit/recorder.ts'
import { createEventIds } from '../audit/recorder-ids.ts'
import type { Admission } from '../auth/admission.ts'
import type { DecisionHook } from '../auth/decision.ts'
import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { Store } from '../store/store.ts'
import { recordDecisions } from './record-decisions.ts'

export interface RecordParts {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  readonly directory: string
}

/** The record of every decision, as the surfaces see it. */
export interface Records {
  readonly onDecision: DecisionHook
  /** Refuses what could not be recorded, before anything else is asked. */
  readonly before: (next?: Admission) => Admission
  readonly state: Recorder['state']
  readonly close: () => Promise<void>
}

export async function openRecords({ config, ...parts }: RecordParts): Promise<Records> {
  const recorder = await openRecorder({ ...parts, address: config.store, settings: config.audit })
  return {
    onDecision: recordDecisions(recorder, createEventIds()),
    before: (next) => ({
      request: (principal, target) => {
        recorder.refuseIfBehind()
        return next?.request(principal, target)
      },
      target: (principal, target) => next?.target(principal, target),
    }),
    state: recorder.state,
    close: recorder.close,
  }
}
