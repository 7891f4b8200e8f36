import type { TestContext } from 'node:test'

interface Calls {
  readonly mock: {
    readonly calls: readonly { readonly this: unknown; readonly arguments: readonly unknown[] }[]
  }
}

/** The work that is done on bytes from now on, counted: how many are written to new buffers, and how many are searched. */
export function countByteWork(t: TestContext): () => { readonly made: number; readonly searched: number } {
  const makers = (['alloc', 'allocUnsafe', 'concat'] as const).map((name) => t.mock.method(Buffer, name))
  const search: Calls = t.mock.method(Buffer.prototype, 'indexOf')
  return () => ({
    made: sum(makers.flatMap(({ mock }) => mock.calls.map(({ result }) => result?.length ?? 0))),
    searched: sum(search.mock.calls.map((call) => Object(call.this).length - Number(call.arguments[1] ?? 0))),
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
