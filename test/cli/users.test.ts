import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsers } from '../../src/authority/users.ts'
import { createLog } from '../../src/log/log.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { input, type Outcome, type Workplace, workplace } from './call-postern.ts'

const password = 'correct horse battery'

function add(place: Workplace, login: string, ...more: readonly string[]): Promise<Outcome> {
  return place.call(['authority', 'users', 'add', login, ...more], input(`${password}\n`))
}

function openAt({ folder }: Workplace): Promise<Store> {
  return openStore('sqlite:./data/postern.db', { log: createLog({ level: 'silent' }), directory: folder })
}

async function canSignIn(place: Workplace, login: string, word: string): Promise<boolean> {
  const store = await openAt(place)
  try {
    return (await createUsers(store, microsecondClock()).signIn(login, word)) !== undefined
  } finally {
    await store.close()
  }
}

test('somebody who was added is listed, for people and for machines, and can sign in', async () => {
  await using place = await workplace()
  const none = await place.call(['authority', 'users', 'list'])
  assert.match(none.out, /nobody yet.*users add LOGIN/)
  assert.deepEqual(await add(place, 'Ada', '--name', 'Ada Lovelace', '--admin'), {
    code: 0,
    out: 'Added ada, an administrator.\n',
    err: '',
  })
  const { out } = await place.call(['authority', 'users', 'list'])
  assert.match(
    out,
    /^LOGIN +NAME +ADMIN +SIGNS IN +ADDED\nada +Ada Lovelace +yes +with a password +20\d\d-.*Z\n$/,
  )
  const [user] = Object(await place.json(['authority', 'users', 'list'])).users
  assert.match(user.id, /^[0-9a-f-]{36}$/)
  assert.ok(Date.parse(user.createdAt) > 0)
  assert.deepEqual(
    { ...user, id: '', createdAt: '' },
    {
      id: '',
      login: 'ada',
      name: 'Ada Lovelace',
      isAdmin: true,
      isDisabled: false,
      upstream: null,
      createdAt: '',
    },
  )
  assert.equal(await canSignIn(place, 'ada', password), true)
})

test('a list longer than a page of the store is whole', async () => {
  await using place = await workplace()
  const store = await openAt(place)
  const row = { display_name: 'x', password: null, upstream_issuer: null, upstream_subject: null }
  const times = { is_admin: 0, created_at: 1, updated_at: 1, disabled_at: null }
  const logins = Array.from({ length: 450 }, (_, index) => `user-${1000 + index}`)
  await store.db
    .insertInto('authority_users')
    .values(logins.map((login) => ({ ...row, ...times, id: login, login })))
    .execute()
  await store.close()
  const { users } = Object(await place.json(['authority', 'users', 'list']))
  assert.deepEqual(
    users.map(({ login }: { login: string }) => login),
    logins,
  )
})

test('at a terminal the password is asked for twice, and no other input is read', async () => {
  await using place = await workplace()
  const asked: string[] = []
  const askHidden = async (question: string): Promise<string> => {
    asked.push(question)
    return password
  }
  const readInput = (): never => {
    throw new Error('standard input was read')
  }
  const { code } = await place.call(['authority', 'users', 'add', 'ada'], { askHidden, readInput })
  assert.equal(code, 0)
  assert.deepEqual(asked, ['New password: ', 'Once more: '])
})

test('two answers that differ change nothing', async () => {
  await using place = await workplace()
  const answers = [password, `${password}!`]
  const askHidden = async (): Promise<string> => answers.pop() ?? ''
  const { code, err } = await place.call(['authority', 'users', 'add', 'ada'], { askHidden })
  assert.equal(code, 1)
  assert.match(err, /the two passwords differ/)
  assert.deepEqual(await place.json(['authority', 'users', 'list']), { users: [] })
})

test('with --password-stdin nothing is asked, even at a terminal', async () => {
  await using place = await workplace()
  const askHidden = (): never => {
    throw new Error('something was asked')
  }
  const { code } = await place.call(['authority', 'users', 'add', 'ada', '--password-stdin'], {
    ...input(password),
    askHidden,
  })
  assert.equal(code, 0)
})

test('a new password takes the place of the old one', async () => {
  await using place = await workplace()
  await add(place, 'ada')
  const { code, out } = await place.call(
    ['authority', 'users', 'password', 'ada'],
    input('another long password'),
  )
  assert.deepEqual([code, out], [0, 'ada has a new password.\n'])
  assert.equal(await canSignIn(place, 'ada', password), false)
  assert.equal(await canSignIn(place, 'ada', 'another long password'), true)
})

test('a password is hashed as hard as it should be, unless a test says otherwise', async () => {
  await using place = await workplace()
  const world = { ...input(password), passwordCost: undefined }
  await place.call(['authority', 'users', 'add', 'ada'], world)
  const store = await openAt(place)
  const row = await store.db.selectFrom('authority_users').select('password').executeTakeFirst()
  await store.close()
  assert.match(row?.password ?? '', /^\$scrypt\$ln=17,r=8,p=1\$/)
})

test('a new password, being disabled and being removed end what somebody has', async () => {
  await using place = await workplace()
  for (const [index, command] of ['password', 'disable', 'remove'].entries()) {
    const login = `user-${index}`
    await add(place, login)
    const store = await openAt(place)
    const user = await createUsers(store, microsecondClock()).findByLogin(login)
    const record = { kind: 'Session', id: login, payload: '{}', account_id: user?.id ?? '' }
    await store.db.insertInto('authority_records').values(record).execute()
    const { code } = await place.call(['authority', 'users', command, login], input('another long password'))
    assert.equal(code, 0)
    assert.deepEqual(await store.db.selectFrom('authority_records').selectAll().execute(), [])
    await store.close()
  }
  assert.doesNotMatch((await place.call(['authority', 'users', 'list'])).out, /user-2/)
})

test('somebody is made an administrator, and is none again', async () => {
  await using place = await workplace()
  await add(place, 'ada')
  const given = await place.call(['authority', 'users', 'admin', 'ada'])
  assert.deepEqual([given.code, given.out], [0, 'ada is an administrator.\n'])
  assert.match((await place.call(['authority', 'users', 'list'])).out, /\nada .* yes /)
  const taken = await place.call(['authority', 'users', 'admin', 'ada', '--revoke'])
  assert.deepEqual([taken.code, taken.out], [0, 'ada is no administrator.\n'])
  assert.doesNotMatch((await place.call(['authority', 'users', 'list'])).out, / yes /)
})

test('with --json every change of somebody is one object, which names them', async () => {
  await using place = await workplace()
  await add(place, 'ada')
  const users = ['authority', 'users']
  const word = input(`${password}!\n`)
  assert.deepEqual(await place.json([...users, 'password', 'ada'], word), {
    login: 'ada',
    hasNewPassword: true,
  })
  assert.deepEqual(await place.json([...users, 'admin', 'ada']), { login: 'ada', isAdmin: true })
  assert.deepEqual(await place.json([...users, 'admin', 'ada', '--revoke']), { login: 'ada', isAdmin: false })
  assert.deepEqual(await place.json([...users, 'disable', 'ada']), { login: 'ada', isDisabled: true })
  assert.deepEqual(await place.json([...users, 'enable', 'ada']), { login: 'ada', isDisabled: false })
  assert.deepEqual(await place.json([...users, 'remove', 'ada']), { login: 'ada', isRemoved: true })
})

test('who is disabled is listed so, until enabled again', async () => {
  await using place = await workplace()
  await add(place, 'ada')
  assert.equal((await place.call(['authority', 'users', 'disable', 'ada'])).code, 0)
  assert.match((await place.call(['authority', 'users', 'list'])).out, /\nada .* disabled /)
  assert.equal((await place.call(['authority', 'users', 'enable', 'ada'])).code, 0)
  assert.match((await place.call(['authority', 'users', 'list'])).out, /\nada .* with a password /)
})

test('a login that is taken, or that nobody has, fails with 1 and says so', async () => {
  await using place = await workplace()
  await add(place, 'ada')
  const again = await add(place, 'ADA')
  assert.deepEqual([again.code, again.out], [1, ''])
  assert.match(again.err, /there is a user "ada" already/)
  for (const command of ['password', 'admin', 'disable', 'enable', 'remove']) {
    const { code, err } = await place.call(['authority', 'users', command, 'bob'], input(password))
    assert.equal(code, 1)
    assert.match(err, /there is no user "bob"/)
  }
})

const misuses: readonly (readonly [string, readonly string[], string, RegExp])[] = [
  ['no login', ['add'], password, /name exactly one login/],
  ['two logins', ['disable', 'ada', 'bob'], '', /name exactly one login/],
  ['an empty login', ['add', ''], password, /name exactly one login/],
  ['a login with a space', ['add', 'a b'], password, /no spaces/],
  ['an empty password', ['add', 'ada'], '\n', /holds no password/],
  ['two lines', ['add', 'ada'], 'one\ntwo\n', /one line/],
  ['a short password', ['add', 'ada'], 'short', /at least 8 characters/],
  [
    'a password on the command line',
    ['add', 'ada', '--password', password],
    '',
    /Unknown option '--password'/,
  ],
]

for (const [what, args, text, message] of misuses)
  test(`${what} is a misuse, and nobody is added`, async () => {
    await using place = await workplace()
    const { code, out, err } = await place.call(['authority', 'users', ...args], input(text))
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, message)
    assert.deepEqual(await place.json(['authority', 'users', 'list']), { users: [] })
  })
