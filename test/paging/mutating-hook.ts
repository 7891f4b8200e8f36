import { registerHooks } from 'node:module'

/** Loaded before the tests of a mutation: they get one file with the mutation in it, and all others as they are. */
const { POSTERN_MUTATED_URL: mutated, POSTERN_MUTATED_SOURCE: source } = process.env
if (mutated !== undefined && source !== undefined)
  registerHooks({
    load: (url, context, nextLoad) =>
      url === mutated ? { format: 'module-typescript', source, shortCircuit: true } : nextLoad(url, context),
  })
