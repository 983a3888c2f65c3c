import { useState } from 'react'
import { LinkButton } from '../../../components/button.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useApiQuery } from '../../../data/api.ts'
import { hasOpenInvitation, invitationPath } from '../../../data/invitation-link.ts'
import { isLocal, useSession } from '../../../data/session.ts'
import { AccountTabs } from '../account-tabs.tsx'
import { TokenNotice } from '../signed-in.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'
import { NewRecoveryCodes, RecoveryCodes } from './recovery-codes.tsx'

/** Page with the second factors of the user. */
export function TwoFactor() {
  const session = useSession()
  const isRequiredNow = session.must_set_up_second_factor
  return (
    <Page
      title="Two-factor authentication"
      lead={
        isRequiredNow
          ? 'This server requires two-factor authentication. Add a passkey or set up an authenticator app to continue.'
          : 'Protects the sign-in with your password with a passkey or a code.'
      }
      actions={
        !isRequiredNow &&
        hasOpenInvitation() && (
          <LinkButton kind="primary" to={invitationPath}>
            Continue to your invitation
          </LinkButton>
        )
      }
    >
      {!isRequiredNow && <AccountTabs />}
      {isLocal(session) ? <SecondFactors /> : <Unavailable isByToken={session.signed_in_with === 'token'} />}
    </Page>
  )
}

function SecondFactors() {
  const query = useApiQuery('GET /-/second_factors', {})
  const [codes, setCodes] = useState<readonly string[]>()
  const show = (created: readonly string[] | null) => created && setCodes(created)
  return (
    <QueryResult query={query}>
      {(factors) => {
        const isEnabled = factors.totp_since !== null || factors.passkeys.length > 0
        return (
          <>
            {codes && <NewRecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
            <Passkeys passkeys={factors.passkeys} onCodes={show} />
            <AuthenticatorApp since={factors.totp_since} onCodes={show} />
            {isEnabled && <RecoveryCodes unused={factors.recovery_codes} onCodes={show} />}
          </>
        )
      }}
    </QueryResult>
  )
}

function Unavailable({ isByToken }: { isByToken: boolean }) {
  return (
    <Panel>
      {isByToken ? (
        <TokenNotice what="To manage two-factor authentication, sign in with your password." />
      ) : (
        <p>
          You signed in with an identity provider, which is responsible for two-factor authentication. If you also have
          a password, sign in with it to protect it here.
        </p>
      )}
    </Panel>
  )
}
