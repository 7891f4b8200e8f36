import { stringify } from 'yaml'
import type { Config } from './config-schema.ts'
import { maskSecrets } from './mask.ts'

/** A complete postern.yaml with every default filled in and every secret masked. */
export function formatConfig(config: Config): string {
  return stringify(maskSecrets(config))
}
