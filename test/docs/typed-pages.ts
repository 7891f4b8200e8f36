/** How many blocks of each page the tests of this folder type, and how many say that they are left out. */
export const typedPages = {
  'README.md': { typed: 4, leftOut: 1 },
  'docs/api.md': { typed: 3, leftOut: 1 },
  'docs/authority.md': { typed: 5, leftOut: 0 },
  'docs/backup.md': { typed: 3, leftOut: 1 },
  'docs/clients.md': { typed: 5, leftOut: 3 },
  'docs/deploy.md': { typed: 1, leftOut: 6 },
  'docs/getting-started.md': { typed: 13, leftOut: 1 },
  'docs/postgres.md': { typed: 3, leftOut: 0 },
  'docs/real-models.md': { typed: 4, leftOut: 1 },
  'docs/upgrade.md': { typed: 1, leftOut: 0 },
  'docs/write-a-tool.md': { typed: 5, leftOut: 1 },
} as const
