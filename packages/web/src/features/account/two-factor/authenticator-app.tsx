import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { ConfirmDialog, Dialog } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction } from '../../../data/api.ts'
import { QrCode } from './qr-code.tsx'
import styles from './two-factor.module.css'

type Begun = ResponseOf<'POST /-/second_factors/totp'>
type OnCodes = (codes: readonly string[] | null) => void

/** One-time codes of an authenticator app. */
export function AuthenticatorApp({ since, onCodes }: { since: string | null; onCodes: OnCodes }) {
  const [begun, setBegun] = useState<Begun>()
  const [isRemoving, setRemoving] = useState(false)
  const begin = useAction('POST /-/second_factors/totp', { onDone: setBegun })
  const remove = useAction('DELETE /-/second_factors/totp', {
    done: 'Authenticator app removed.',
    onDone: () => setRemoving(false),
  })
  return (
    <Panel
      title="Authenticator app"
      actions={
        <>
          <Button size="small" isBusy={begin.isPending} onClick={() => begin.mutate({})}>
            {since ? 'Replace app' : 'Set up app'}
          </Button>
          {since && (
            <Button size="small" onClick={() => setRemoving(true)}>
              Remove app
            </Button>
          )}
        </>
      }
    >
      <p className="muted">
        {since ? (
          <>
            Set up <Time of={since} />.
          </>
        ) : (
          'An app on your phone shows a new 6-digit code every 30 seconds.'
        )}
      </p>
      {begun && <SetUp begun={begun} onCodes={onCodes} onClose={() => setBegun(undefined)} />}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove authenticator app"
        lead="Codes of the app no longer sign you in."
        confirm="Remove app"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({})}
      />
    </Panel>
  )
}

function SetUp({ begun, onCodes, onClose }: { begun: Begun; onCodes: OnCodes; onClose: () => void }) {
  const finish = useAction('PUT /-/second_factors/totp', {
    showsErrors: true,
    done: 'Authenticator app set up.',
    onDone: ({ recovery_codes: codes }) => {
      onCodes(codes)
      onClose()
    },
  })
  const spaced = begun.secret.replace(/(.{4})(?=.)/g, '$1 ')
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Set up authenticator app"
      lead="Scan the QR code with the app, or enter the key by hand. Then enter the code that the app shows."
    >
      <div className={styles.setUp}>
        <QrCode text={begun.uri} label="QR code for the authenticator app" />
        <div className="stack-tight">
          <p>
            <span className="muted small">Key</span>
            <br />
            <code className={styles.key}>{spaced}</code>
          </p>
          <div>
            <CopyButton text={begun.secret} label="Copy key" />
          </div>
        </div>
      </div>
      <ActionForm
        action={finish}
        fields={['code']}
        submit="Verify code"
        onCancel={onClose}
        onSubmit={(text) => finish.mutate({ body: { challenge: begun.challenge, code: text('code') } })}
      >
        <TextField
          label="Verification code"
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          hint="The 6 digits that the app shows now."
        />
      </ActionForm>
    </Dialog>
  )
}
