import type { Config } from '../config/config-schema.ts'

export type Workload = Config['authority']['workloads'][number]

/** The workloads that an exchange may mean by this audience; Google's clients write it with and without `https:`. */
export function workloadsFor(workloads: readonly Workload[], audience: string): readonly Workload[] {
  const bare = bareAudience(audience)
  return workloads.filter((workload) => bareAudience(workload.audience) === bare)
}

/** Every spelling of a workload's audience that its tokens may have. */
export function audiencesOf(workload: Workload): readonly string[] {
  const bare = bareAudience(workload.audience)
  return bare.startsWith('//') ? [bare, `https:${bare}`] : [bare]
}

/** The service account of the binding that fits best: the exact subject, else the longest beginning. */
export function boundAccount({ bindings }: Workload, subject: string): string | undefined {
  const fitting = bindings.filter((binding) => fits(binding.subject, subject))
  const [best] = fitting.toSorted((one, other) => weight(other.subject) - weight(one.subject))
  return best?.serviceAccount
}

function bareAudience(audience: string): string {
  return audience.startsWith('https://') ? audience.slice('https:'.length) : audience
}

function fits(pattern: string, subject: string): boolean {
  return pattern.endsWith('*') ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern
}

function weight(pattern: string): number {
  return pattern.endsWith('*') ? pattern.length - 1 : Number.POSITIVE_INFINITY
}
