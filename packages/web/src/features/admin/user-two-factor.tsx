import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'
import type { ShownUser } from './user.ts'

/** Panel that removes the second factors of a user who has lost them. Those of administrators are removed by a command. */
export function UserTwoFactor({ user }: { user: ShownUser }) {
  const [isAsking, setAsking] = useState(false)
  const disable = useAction('PATCH /users/{id}/disable_two_factor', {
    done: texts.twoFactorAuthenticationDisabled,
    onDone: () => setAsking(false),
  })
  if (!('two_factor_enabled' in user) || !user.two_factor_enabled) return null
  return (
    <Panel title={texts.twoFactorAuthentication}>
      <div className={styles.line}>
        {user.is_admin ? (
          <p>
            {fill(texts.enabledForAnAdministrator, {
              code: <code>{`alcove admin disable-two-factor ${user.username}`}</code>,
            })}
          </p>
        ) : (
          <>
            <p>{texts.enabledDisableItIf(user.name)}</p>
            <Button kind="danger" onClick={() => setAsking(true)}>
              {texts.disable}
            </Button>
          </>
        )}
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.disableTwoFactorAuthentication(user.name)}
        lead={texts.removesTheAuthenticatorApp}
        confirm={texts.disable}
        isBusy={disable.isPending}
        onConfirm={() => disable.mutate({ path: { id: user.id } })}
      />
    </Panel>
  )
}
