import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DiagnoseOptions, diagnose } from '../../src/client/doctor/diagnose.ts'
import { type Patient, startPatient } from './doctor-servers.ts'

export interface Case {
  readonly what: string
  /** Breaks the patient, and gives the token to look at. */
  readonly break: (patient: Patient) => Promise<string | undefined> | string | undefined
  readonly cause: string
  /** The check that names the cause, and what it says. */
  readonly check: string
  readonly detail: RegExp
  readonly next: RegExp
  /** The status that the call comes to. */
  readonly status?: 401 | 403
  readonly options?: DiagnoseOptions
}

/** One test for each; what is found never shows the token, and the token goes nowhere else. */
export function testCases(cases: readonly Case[]): void {
  for (const broken of cases)
    test(`the doctor names the true cause of ${broken.what}`, async () => {
      await using patient = await startPatient()
      const token = (await broken.break(patient)) ?? undefined
      const diagnosis = await diagnose(patient.resource, { token, ...broken.options })
      const { isHealthy, cause, checks, next } = diagnosis
      assert.deepEqual([isHealthy, cause], [false, broken.cause], JSON.stringify(checks, null, 1))
      const named = checks.find(({ name }) => name === broken.check)
      assert.equal(named?.state, 'failed')
      assert.match(named?.detail ?? '', broken.detail)
      assert.match(next, broken.next)
      if (broken.status !== undefined)
        assert.match(
          checks.find(({ name }) => name === 'call')?.detail ?? '',
          new RegExp(`is answered ${broken.status}`),
        )
      if (token !== undefined) assert.ok(!JSON.stringify(diagnosis).includes(token.slice(-20)))
      for (const { place } of patient.credentials) assert.equal(place, patient.resource)
    })
}
