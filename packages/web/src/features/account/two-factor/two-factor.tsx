import { useState } from 'react'
import { LinkButton } from '../../../components/button.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useApiQuery } from '../../../data/api.ts'
import { hasOpenInvitation, invitationPath } from '../../../data/invitation-link.ts'
import { isLocal, useSession } from '../../../data/session.ts'
import { AccountTabs } from '../account-tabs.tsx'
import { TokenNotice } from '../signed-in.tsx'
import { texts } from '../texts.ts'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'
import { NewRecoveryCodes, RecoveryCodes } from './recovery-codes.tsx'

/** Page with the second factors of the user. */
export function TwoFactor() {
  const session = useSession()
  const isRequiredNow = session.must_set_up_second_factor
  return (
    <Page
      title={texts.twoFactorAuthentication}
      lead={isRequiredNow ? texts.thisServerRequiresTwoFactor : texts.protectsTheSignInWithYourPassword}
      actions={
        !isRequiredNow &&
        hasOpenInvitation() && (
          <LinkButton kind="primary" to={invitationPath}>
            {texts.continueToYourInvitation}
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
      {isByToken ? <TokenNotice what={texts.toManageTwoFactor} /> : <p>{texts.youSignedInWithAnIdentity}</p>}
    </Panel>
  )
}
