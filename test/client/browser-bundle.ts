import { join } from 'node:path'
import { type OutputChunk, rolldown } from 'rolldown'

export interface Bundle {
  /** File name → code; the entry is `entry.js`. */
  readonly files: ReadonlyMap<string, string>
  /** Every module that is in it, from the root of the checkout. */
  readonly modules: readonly string[]
  /** What it leaves for the host to import. */
  readonly externals: readonly string[]
}

const root = join(import.meta.dirname, '..', '..')

/** What a browser would load of `postern/client` for this code, put together as an app does it. */
export async function bundleForBrowser(code: string): Promise<Bundle> {
  const build = await rolldown({
    input: 'entry',
    platform: 'browser',
    cwd: root,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => {
          if (id === 'entry') return id
          return id === 'postern/client' ? join(root, 'src/client/public-browser.ts') : null
        },
        load: (id) => (id === 'entry' ? { code, moduleType: 'js', moduleSideEffects: true } : null),
      },
    ],
    treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
    onLog: () => {},
  })
  const { output } = await build.generate({ format: 'esm', entryFileNames: 'entry.js' })
  await build.close()
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk')
  const names = new Set(chunks.map(({ fileName }) => fileName))
  return {
    files: new Map(chunks.map(({ fileName, code: text }) => [fileName, text])),
    modules: chunks.flatMap(({ modules }) =>
      Object.entries(modules).flatMap(([id, { code: kept }]) =>
        kept === null || kept === '' ? [] : [id.replace(`${root}/`, '')],
      ),
    ),
    externals: chunks
      .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
      .filter((name) => !names.has(name)),
  }
}
