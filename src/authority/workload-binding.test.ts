import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audiencesOf, boundAccount, type Workload, workloadsFor } from './workload-binding.ts'

const audience = '//iam.postern.example/locations/global/workloadIdentityPools/ci/providers/forge'

function workload(bindings: Readonly<Record<string, string>>, name = audience): Workload {
  return {
    issuer: 'https://forge.example',
    audience: name,
    bindings: Object.entries(bindings).map(([subject, serviceAccount]) => ({ subject, serviceAccount })),
  }
}

test('the exact subject wins over every beginning, and the longest beginning over shorter ones', () => {
  const bound = workload({ '*': 'any', 'repo:a/*': 'long', 'repo:*': 'short', 'repo:a/b': 'exact' })
  assert.equal(boundAccount(bound, 'repo:a/b'), 'exact')
  assert.equal(boundAccount(bound, 'repo:a/bc'), 'long')
  assert.equal(boundAccount(bound, 'repo:c'), 'short')
  assert.equal(boundAccount(bound, 'system:x'), 'any')
})

test('a subject that only resembles a binding is not bound', () => {
  const bound = workload({ 'repo:a/b': 'exact', 'env:prod:*': 'prod', 'a*b': 'star' })
  const others = [
    'repo:a/b ',
    'repo:a/B',
    'repo:a/b:x',
    ' repo:a/b',
    'env:prod',
    'env:production:x',
    'axb',
    '*',
  ]
  for (const subject of others) assert.equal(boundAccount(bound, subject), undefined, subject)
  assert.equal(boundAccount(bound, 'a*b'), 'star')
})

test('an audience is the same with and without https:, and no other way', () => {
  const configured = [workload({}), workload({}, 'https://plain.example/ci'), workload({}, 'bare')]
  const found = (name: string): number => workloadsFor(configured, name).length
  assert.deepEqual([audience, `https:${audience}`, '//plain.example/ci', 'bare'].map(found), [1, 1, 1, 1])
  const others = [
    `http:${audience}`,
    `${audience}/`,
    audience.slice(1),
    audience.toUpperCase(),
    `https:${audience}x`,
  ]
  for (const name of [...others, '', 'https:bare', `https:https:${audience}`])
    assert.equal(found(name), 0, name)
})

test('a token may spell the audience of its workload in both ways', () => {
  assert.deepEqual(audiencesOf(workload({})), [audience, `https:${audience}`])
  assert.deepEqual(audiencesOf(workload({}, `https:${audience}`)), [audience, `https:${audience}`])
  assert.deepEqual(audiencesOf(workload({}, 'bare')), ['bare'])
})
