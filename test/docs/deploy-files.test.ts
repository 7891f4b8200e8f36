import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { strongCost } from '../../src/authority/passwords.ts'
import { commands } from '../../src/cli/commands.ts'
import { findCommand } from '../../src/cli/find-command.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { checkout } from './shell-place.ts'

type Tree = Readonly<Record<string, unknown>>

function read(name: string): string {
  return readFileSync(join(checkout, name), 'utf8')
}

/** What is at a path such as `spec.template`, in whatever was parsed. */
function at(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, key) => Object(found)[key], tree)
}

const secrets = {
  POSTERN_PUBLIC_URL: 'http://127.0.0.1:8080',
  POSTERN_ISSUER: 'http://127.0.0.1:8081',
  POSTERN_STORE: 'postgres://postern:secret@postgres:5432/postern',
  POSTERN_SHARED: 'redis://valkey:6379',
  POSTERN_AUTHORITY_SECRET: 'example-value-of-32-characters-and-more',
  POSTERN_PAGING_KEY: 'another-value-of-32-characters-and-more',
}

const dockerfile = read('deploy/Dockerfile')
const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, names = '']) =>
  names.split(' '),
).flat()

test('what the Dockerfile copies is in the checkout, and .dockerignore lets it through', () => {
  const allowed =
    read('.dockerignore')
      .match(/^!(.+)$/gm)
      ?.map((line) => line.slice(1)) ?? []
  assert.ok(copied.length > 10)
  for (const name of copied) assert.ok(existsSync(join(checkout, name)), name)
  assert.deepEqual([...new Set(copied)].toSorted(), allowed.toSorted())
})

test('the image holds every file of the published package, and the build', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: checkout,
    shell: process.platform === 'win32',
  })
  const [{ files }] = JSON.parse(stdout)
  const tops = new Set<string>(files.map(({ path }: { path: string }) => path.split('/')[0]))
  tops.delete('dist')
  assert.deepEqual(
    [...tops].filter((name) => !copied.includes(name)),
    [],
  )
  assert.match(dockerfile, /^COPY --from=build \/app\/dist dist$/m)
})

test('the image runs our program as somebody who is not root, named by number', () => {
  assert.match(dockerfile, /^USER 1000:1000$/m)
  assert.match(dockerfile, /^ENTRYPOINT \["node", "\/app\/bin\/postern\.js"\]$/m)
  const [, list = '[]'] = /^CMD (.+)$/m.exec(dockerfile) ?? []
  assert.equal(findCommand(JSON.parse(list), commands)?.name, 'serve')
})

for (const file of ['deploy/postern.yaml', 'deploy/kubernetes/postern.yaml'])
  test(`${file} is a configuration that works, for both programs`, () => {
    const config = parseConfig(read(file), { file, env: secrets })
    assert.equal(config.server.host, '0.0.0.0')
    assert.equal(config.authority.issuer, config.issuers[0]?.issuer)
    assert.equal(config.audit.spool, '/var/lib/postern/spool')
    assert.notDeepEqual(config.server.trustedProxies, [])
    assert.deepEqual(config.server.trustedProxies, config.authority.trustedProxies)
    // A whole private network has clients in it, who could then claim any address.
    for (const range of config.server.trustedProxies)
      assert.ok(Number(range.split('/')[1] ?? 32) >= 24, range)
  })

test('compose.yaml has the network that its configuration trusts', () => {
  const compose: unknown = parse(read('deploy/compose.yaml'), { merge: true })
  const file = 'deploy/postern.yaml'
  const { server } = parseConfig(read(file), { file, env: secrets })
  assert.deepEqual(server.trustedProxies, [at(compose, 'networks.default.ipam.config.0.subnet')])
})

for (const file of [
  'docs/deploy.md',
  'docs/configuration.md',
  'docs/authority.md',
  'deploy/kubernetes/postern.yaml',
])
  test(`${file} trusts no whole private network, and says why not`, () => {
    const text = read(file)
    assert.doesNotMatch(text, /trustedProxies: \[(?:10\.0\.0\.0\/8|172\.16\.0\.0\/12|192\.168\.0\.0\/16)/)
    assert.match(text.replace(/[\s#]+/g, ' '), /(?:no range|Ranges) in which clients live/)
  })

test('compose.yaml gives both programs every variable of their configuration, and each its command and probe', () => {
  const compose: unknown = parse(read('deploy/compose.yaml'), { merge: true })
  for (const [name, command, port] of [
    ['gateway', undefined, 8080],
    ['authority', 'authority', 8081],
  ] as const) {
    const service = at(compose, `services.${name}`)
    assert.deepEqual(
      Object.keys(Object(at(service, 'environment'))).toSorted(),
      Object.keys(secrets).toSorted(),
    )
    assert.match(JSON.stringify(at(service, 'healthcheck.test')), new RegExp(`127.0.0.1:${port}/readyz`))
    assert.equal(at(service, 'command.0'), command)
    assert.equal(at(service, 'read_only'), true)
    for (const needed of Object.keys(Object(at(service, 'depends_on'))))
      assert.ok(at(compose, `services.${needed}`))
  }
  const volumes = Object.keys(Object(at(compose, 'volumes')))
  assert.deepEqual(volumes, ['postgres', 'spool'])
})

for (const [program, command] of [
  ['gateway', 'serve'],
  ['authority', 'authority'],
] as const)
  test(`the unit of the ${program} starts it, and stops it later than the program gives up`, () => {
    const unit = read(`deploy/postern-${program}.service`)
    const [, line = ''] =
      /^ExecStart=\/usr\/bin\/node \/opt\/postern\/bin\/postern\.js (.+)$/m.exec(unit) ?? []
    assert.equal(findCommand(line.split(' '), commands)?.name, command)
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
    assert.ok(Number(seconds) > parseConfig('', { file: 'empty', env: {} }).server.shutdownSeconds)
    for (const line of [
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'CapabilityBoundingSet=',
      'User=postern',
    ])
      assert.ok(unit.includes(`\n${line}\n`), line)
    assert.doesNotMatch(unit, /^MemoryDenyWriteExecute/m)
  })

test('deploy/environment.example names every variable of deploy/postern.yaml, and starts nothing before its secrets are made', () => {
  const lines = read('deploy/environment.example').match(/^\w+=.*$/gm) ?? []
  const example = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
  assert.deepEqual(Object.keys(example).toSorted(), Object.keys(secrets).toSorted())
  const file = 'deploy/postern.yaml'
  assert.throws(() => parseConfig(read(file), { file, env: example }), /authority\.secret/)
  const { POSTERN_AUTHORITY_SECRET, POSTERN_PAGING_KEY } = secrets
  const filled = { ...example, POSTERN_AUTHORITY_SECRET, POSTERN_PAGING_KEY }
  assert.equal(parseConfig(read(file), { file, env: filled }).server.publicUrl, 'https://gate.example')
})

test('the units are started by a block of docs/deploy.md that comes after the environment was filled in', () => {
  const page = read('docs/deploy.md')
  const [filling, starting] = ['environment.example /etc/postern/environment', 'systemctl enable --now']
  assert.ok(page.includes(filling) && page.indexOf('Fill in `/etc') < page.indexOf(starting))
  const blocks = Array.from(page.matchAll(/^```sh\n.*?^```$/gms), ([text]) => text)
  assert.ok(!blocks.some((text) => text.includes(filling) && text.includes(starting)))
})

function manifests(): readonly Tree[] {
  const kustomization: unknown = parse(read('deploy/kubernetes/kustomization.yaml'))
  const files: readonly string[] = Object(at(kustomization, 'resources'))
  return files.flatMap((file) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document): Tree => {
      assert.deepEqual(document.errors, [], file)
      return Object(document.toJS())
    }),
  )
}

test('the memory of the authority holds the hash of a password beside twice as much for all else', () => {
  const [, authority] = ofKind('Deployment')
  const [container]: unknown[] = Object(at(authority, 'spec.template.spec.containers'))
  const [, limit] = /^(\d+)Mi$/.exec(String(at(container, 'resources.limits.memory'))) ?? []
  const hash = (128 * strongCost.blockSize * 2 ** strongCost.logarithm) / 2 ** 20
  assert.ok(Number(limit) >= 3 * hash + 100, `${limit} MiB, and one hash takes ${hash}`)
})

function ofKind(kind: string): readonly Tree[] {
  return manifests().filter((manifest) => manifest.kind === kind)
}

test('the manifests have two Deployments, and for each a Service, a budget and a place in the Ingress', () => {
  const names = (kind: string): unknown[] => ofKind(kind).map((manifest) => at(manifest, 'metadata.name'))
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget'])
    assert.deepEqual(names(kind), ['gateway', 'authority'], kind)
  const rules = Object(at(ofKind('Ingress')[0], 'spec.rules'))
  assert.deepEqual(
    rules.map((rule: unknown) => at(rule, 'http.paths.0.backend.service.name')),
    ['gateway', 'authority'],
  )
  assert.equal(ofKind('NetworkPolicy').length, 1)
})

for (const [index, port, command] of [
  [0, 8080, 'serve'],
  [1, 8081, 'authority'],
] as const)
  test(`the pods of ${command} are chosen by their labels, probed, unprivileged, and have room for what they write`, () => {
    const deployment = ofKind('Deployment')[index]
    const labels = at(deployment, 'spec.template.metadata.labels')
    assert.deepEqual(at(deployment, 'spec.selector.matchLabels'), labels)
    for (const kind of ['Service', 'PodDisruptionBudget']) {
      const chosen = at(
        ofKind(kind)[index],
        kind === 'Service' ? 'spec.selector' : 'spec.selector.matchLabels',
      )
      assert.deepEqual(chosen, labels, kind)
    }
    const pod = at(deployment, 'spec.template.spec')
    const container = at(pod, 'containers.0')
    assert.equal(findCommand(Object(at(container, 'args')), commands)?.name, command)
    assert.equal(at(container, 'ports.0.containerPort'), port)
    assert.equal(at(container, 'livenessProbe.httpGet.path'), '/healthz')
    assert.equal(at(container, 'readinessProbe.httpGet.path'), '/readyz')
    assert.equal(at(container, 'securityContext.readOnlyRootFilesystem'), true)
    assert.equal(at(pod, 'securityContext.runAsNonRoot'), true)
    const volumes: readonly unknown[] = Object(at(pod, 'volumes'))
    const mounts: readonly unknown[] = Object(at(container, 'volumeMounts'))
    const names = (list: readonly unknown[]): unknown => new Set(list.map((one) => at(one, 'name')))
    assert.deepEqual(names(mounts), names(volumes))
    assert.ok(
      at(
        volumes.find((volume) => at(volume, 'name') === (index === 0 ? 'spool' : 'tmp')),
        'emptyDir',
      ),
    )
  })

test('every variable of the configuration of the cluster is in the secret that docs/deploy.md makes', () => {
  const wanted = read('deploy/kubernetes/postern.yaml').match(/(?<=\$\{)\w+(?=\})/g) ?? []
  const made = read('docs/deploy.md').match(/(?<=--from-literal=)\w+/g) ?? []
  assert.deepEqual(made.toSorted(), wanted.toSorted())
})
