import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import styles from './admin.module.css'
import type { ShownUser } from './user.ts'

/** Panel that removes the second factors of a user who has lost them. Those of administrators are removed by a command. */
export function UserTwoFactor({ user }: { user: ShownUser }) {
  const [isAsking, setAsking] = useState(false)
  const disable = useAction('PATCH /users/{id}/disable_two_factor', {
    done: 'Two-factor authentication disabled.',
    onDone: () => setAsking(false),
  })
  if (!('two_factor_enabled' in user) || !user.two_factor_enabled) return null
  return (
    <Panel title="Two-factor authentication">
      <div className={styles.line}>
        {user.is_admin ? (
          <p>
            Enabled. For an administrator, run <code>alcove admin disable-two-factor {user.username}</code> on the
            server.
          </p>
        ) : (
          <>
            <p>Enabled. Disable it if {user.name} has lost the authenticator, passkeys and recovery codes.</p>
            <Button kind="danger" onClick={() => setAsking(true)}>
              Disable
            </Button>
          </>
        )}
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Disable two-factor authentication of ${user.name}?`}
        lead="Removes the authenticator app, all passkeys and all recovery codes. The user then signs in with the password alone."
        confirm="Disable"
        isBusy={disable.isPending}
        onConfirm={() => disable.mutate({ path: { id: user.id } })}
      />
    </Panel>
  )
}
