import { interactionPolicy } from 'oidc-provider'

/** The provider's own rules for when a person is asked, and one more. */
export function createInteractionPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  policy.get('login')?.checks.add(
    new interactionPolicy.Check('account_gone', 'the account is gone or disabled', ({ oidc }) =>
      // Such a session counts as one for the provider, which would go on without an account.
      oidc.session?.accountId !== undefined && oidc.account === undefined
        ? interactionPolicy.Check.REQUEST_PROMPT
        : interactionPolicy.Check.NO_NEED_TO_PROMPT,
    ),
  )
  return policy
}
