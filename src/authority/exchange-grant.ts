import { createServiceAccounts, type ServiceAccounts } from '../store/service-accounts.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import type { AuthorityContext } from './context.ts'
import { accessTokenType, readExchange } from './exchange-request.ts'
import { refusal, type TokenAnswer } from './machine-answer.ts'
import { fillOrder, orderToken } from './machine-order.ts'
import type { Exchange } from './route.ts'
import { boundAccount, workloadsFor } from './workload-binding.ts'
import { createWorkloadKeys } from './workload-keys.ts'
import { type CheckedWorkload, checkWorkloadToken } from './workload-token.ts'

/** RFC 8693: a workload trades the token of its own issuer for one of the service account it is bound to. */
export function createExchangeGrant(context: AuthorityContext): (exchange: Exchange) => Promise<TokenAnswer> {
  const { config, store, now, resources } = context
  const { allowPrivate, workloads: configured } = config.authority
  const accounts = createServiceAccounts(store, now)
  const keys = createWorkloadKeys({ allowPrivate, elapsed: () => performance.now() })
  return async (exchange) => {
    const asked = readExchange(exchange)
    const workloads = workloadsFor(configured, asked.audience)
    if (workloads.length === 0) throw refusal('invalid_target', 'there is no workload of this audience here')
    const checked = await checkWorkloadToken(asked.subjectToken, { workloads, keys, now })
    const account = await accountOf(accounts, checked)
    const answer = await fillOrder(context, orderToken(resources, account, asked))
    return { ...answer, issued_token_type: accessTokenType }
  }
}

/** One answer for a subject without a binding and for an account that is gone: it says nothing of what is configured. */
async function accountOf(
  accounts: ServiceAccounts,
  { workload, subject }: CheckedWorkload,
): Promise<ServiceAccount> {
  const email = boundAccount(workload, subject)
  const account = email === undefined ? undefined : await accounts.findByEmail(email)
  if (account !== undefined && account.disabled_at === null) return account
  throw refusal('invalid_request', 'the subject of the subject_token may not use a service account here')
}
