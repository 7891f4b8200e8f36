import type { Store } from '../store/store.ts'

/** One statement for both engines; written out once, because building it takes longer than running it. */
export function textsOf(text: string): Readonly<Record<Store['dialect'], string>> {
  return { postgres: text, sqlite: text.replaceAll(/\$(\d)/g, '?$1') }
}
