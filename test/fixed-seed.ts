import fc from 'fast-check'

/** Loaded before every test file: each run tries the same cases, unless `npm run fuzz` draws another seed. */
const seed = Number(process.env.POSTERN_FUZZ_SEED ?? 1)
if (!Number.isInteger(seed)) throw new Error('POSTERN_FUZZ_SEED must be a whole number')
fc.configureGlobal({ seed })
