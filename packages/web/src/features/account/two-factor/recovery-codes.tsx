import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { fill } from '../../../components/fill.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { useAction } from '../../../data/api.ts'
import { texts } from '../texts.ts'
import styles from './two-factor.module.css'

const fewCodes = 3

/** Number of unused recovery codes, and their replacement. */
export function RecoveryCodes({ unused, onCodes }: { unused: number; onCodes: (codes: readonly string[]) => void }) {
  const [isAsking, setAsking] = useState(false)
  const replace = useAction('POST /-/second_factors/recovery_codes', {
    onDone: ({ recovery_codes: codes }) => {
      setAsking(false)
      onCodes(codes)
    },
  })
  return (
    <Panel
      title={texts.recoveryCodes}
      actions={
        <Button size="small" onClick={() => setAsking(true)}>
          {texts.generateNewCodes}
        </Button>
      }
    >
      <p>
        {texts.unusedCode(unused)}. {unused <= fewCodes ? texts.generateNewOnesBefore : texts.eachSignsYouInOnce}
      </p>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.generateNewRecoveryCodes}
        lead={texts.theOldCodesStop}
        confirm={texts.generateNewCodes}
        isDangerous={false}
        isBusy={replace.isPending}
        onConfirm={() => replace.mutate({})}
      />
    </Panel>
  )
}

/** Shows new recovery codes, which cannot be displayed again. */
export function NewRecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <section className={styles.issued} aria-label={texts.newRecoveryCodes} role="status">
      <p>{fill(texts.theyAreNotShown, { strong: <strong>{texts.saveYourRecoveryCodes}</strong> })}</p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row-wrap">
        <CopyButton text={text} label={texts.copyCodes} size="normal" />
        <Button icon={Download} onClick={() => download(text)}>
          {texts.downloadCodes}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </section>
  )
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'alcove-recovery-codes.txt'
  link.click()
  URL.revokeObjectURL(url)
}
