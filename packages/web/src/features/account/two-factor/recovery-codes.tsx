import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { counted } from '../../../components/format.ts'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { useAction } from '../../../data/api.ts'
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
      title="Recovery codes"
      actions={
        <Button size="small" onClick={() => setAsking(true)}>
          Generate new codes
        </Button>
      }
    >
      <p>
        {counted(unused, 'unused code')}.{' '}
        {unused <= fewCodes
          ? 'Generate new ones before you run out.'
          : 'Each signs you in once when you have lost your other factors.'}
      </p>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Generate new recovery codes"
        lead="The old codes stop working."
        confirm="Generate new codes"
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
    <section className={styles.issued} aria-label="New recovery codes" role="status">
      <p>
        <strong>Save your recovery codes now.</strong> They are not shown again. Each signs you in once when you have
        lost your other factors.
      </p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row-wrap">
        <CopyButton text={text} label="Copy codes" size="normal" />
        <Button icon={Download} onClick={() => download(text)}>
          Download codes
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Done
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
