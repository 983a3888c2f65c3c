import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { fill } from '../../../components/fill.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { ConfirmDialog, Dialog } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction } from '../../../data/api.ts'
import { texts } from '../texts.ts'
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
    done: texts.authenticatorAppRemoved,
    onDone: () => setRemoving(false),
  })
  return (
    <Panel
      title={texts.authenticatorApp}
      actions={
        <>
          <Button size="small" isBusy={begin.isPending} onClick={() => begin.mutate({})}>
            {since ? texts.replaceApp : texts.setUpApp}
          </Button>
          {since && (
            <Button size="small" onClick={() => setRemoving(true)}>
              {texts.removeApp}
            </Button>
          )}
        </>
      }
    >
      <p className="muted">{since ? fill(texts.setUp, { time: <Time of={since} /> }) : texts.anAppOnYourPhone}</p>
      {begun && <SetUp begun={begun} onCodes={onCodes} onClose={() => setBegun(undefined)} />}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={texts.removeAuthenticatorApp}
        lead={texts.codesOfTheApp}
        confirm={texts.removeApp}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({})}
      />
    </Panel>
  )
}

function SetUp({ begun, onCodes, onClose }: { begun: Begun; onCodes: OnCodes; onClose: () => void }) {
  const finish = useAction('PUT /-/second_factors/totp', {
    showsErrors: true,
    done: texts.authenticatorAppSetUp,
    onDone: ({ recovery_codes: codes }) => {
      onCodes(codes)
      onClose()
    },
  })
  const spaced = begun.secret.replace(/(.{4})(?=.)/g, '$1 ')
  return (
    <Dialog isOpen onClose={onClose} title={texts.setUpAuthenticatorApp} lead={texts.scanTheQrCode}>
      <div className={styles.setUp}>
        <QrCode text={begun.uri} label={texts.qrCodeForTheAuthenticator} />
        <div className="stack-tight">
          <p>
            <span className="muted small">{texts.key}</span>
            <br />
            <code className={styles.key}>{spaced}</code>
          </p>
          <div>
            <CopyButton text={begun.secret} label={texts.copyKey} />
          </div>
        </div>
      </div>
      <ActionForm
        action={finish}
        fields={['code']}
        submit={texts.verifyCode}
        onCancel={onClose}
        onSubmit={(text) => finish.mutate({ body: { challenge: begun.challenge, code: text('code') } })}
      >
        <TextField
          label={texts.verificationCode}
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          hint={texts.the6DigitsThatTheApp}
        />
      </ActionForm>
    </Dialog>
  )
}
