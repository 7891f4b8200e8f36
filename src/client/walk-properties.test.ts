import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutList, drain } from '../../test/client/cut-list.ts'
import type { PageSource } from './page-source.ts'
import { type Walk, walk } from './walk.ts'

/** Pages of random length, many of them empty; every item is different. */
const cuts = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 })), { maxLength: 20 })
  .map((lengths) => {
    let count = 0
    return lengths.map((length) => Array.from({ length }, () => count++))
  })

test('a walk gives the full set, however the list is cut', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, fc.boolean(), async (pages, prefetch) => {
      assert.deepEqual(await drain(walk(cutList(pages).source, { prefetch })), pages.flat())
      const walked = await drain(walk(cutList(pages).source, { prefetch }).pages())
      assert.deepEqual(
        walked.flatMap((page) => page.items),
        pages.flat(),
      )
    }),
  )
})

test('from every checkpoint a new walk gives exactly the rest', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, fc.boolean(), async (pages, prefetch) => {
      const taken: number[] = []
      const checkpoints: { readonly position: string; readonly taken: readonly number[] }[] = []
      const onCheckpoint = (position: string): void => {
        checkpoints.push({ position, taken: [...taken] })
      }
      for await (const item of walk(cutList(pages).source, { prefetch, onCheckpoint })) taken.push(item)
      assert.equal(checkpoints.length, Math.max(1, pages.length))
      for (const checkpoint of checkpoints) {
        const rest = await drain(walk(cutList(pages).source, { start: checkpoint.position, prefetch }))
        assert.deepEqual([...checkpoint.taken, ...rest], pages.flat())
      }
    }),
  )
})

test('a walk that fails on random requests and resumes each time gives every item exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(
      cuts,
      fc.boolean(),
      fc.infiniteStream(fc.boolean()),
      async (pages, prefetch, failures) => {
        const list = cutList(pages)
        let failuresLeft = 10
        const source: PageSource<number> = (position, signal) => {
          const isFailing = failures.next().value === true && failuresLeft-- > 0
          return isFailing ? Promise.reject(new Error('try again')) : list.source(position, signal)
        }
        const taken: number[] = []
        let position: string | null = null
        let isDone = false
        while (!isDone) {
          const walking: Walk<number> = walk(source, { start: position, prefetch })
          try {
            for await (const item of walking) taken.push(item)
            isDone = true
          } catch {
            position = walking.position
          }
        }
        assert.deepEqual(taken, pages.flat())
      },
    ),
  )
})

test('a walk that is left anywhere resumes at the page that was not finished', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, fc.nat({ max: 60 }), async (pages, leaveAfter) => {
      const walking = walk(cutList(pages).source)
      const taken: number[] = []
      for await (const item of walking) {
        taken.push(item)
        if (taken.length > leaveAfter) break
      }
      const rest = await drain(walk(cutList(pages).source, { start: walking.position }))
      const all = pages.flat()
      assert.deepEqual(rest, all.slice(all.length - rest.length))
      const unfinished = taken.length + rest.length - all.length
      const last = pages.find((page) => page.includes(taken.at(-1) ?? -1)) ?? []
      assert.ok(unfinished >= 0 && unfinished <= last.length)
    }),
  )
})
