import type { BodyOf, Schemas } from '@alcove/client'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { api, useAction, useAnswer } from '../../app/api.ts'
import { saveFile } from '../../app/save-file.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { useToast } from '../../components/toast.tsx'

type Export = Schemas['VulnerabilityExport']

const formats = [
  { value: 'csv', label: 'CSV, for spreadsheets' },
  { value: 'json', label: 'JSON, as the API lists them' },
  { value: 'sarif', label: 'SARIF 2.1.0, for other tools' },
] as const
type Format = (typeof formats)[number]['value']

export interface ExportOwner {
  kind: 'project' | 'group'
  id: number
}

/** Makes a file of what the list shows. `filters` are those of the list, by the names of its parameters. */
export function ExportButton({ owner, filters }: { owner: ExportOwner; filters: Record<string, unknown> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={Download} onClick={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && <ExportDialog owner={owner} filters={filters} onClose={() => setOpen(false)} />}
    </>
  )
}

function ExportDialog({
  owner,
  filters,
  onClose,
}: {
  owner: ExportOwner
  filters: Record<string, unknown>
  onClose: () => void
}) {
  const [format, setFormat] = useState<Format>('csv')
  const [id, setId] = useState<number>()
  const onDone = ({ id }: Export) => setId(id)
  const ofProject = useAction('POST /security/projects/{id}/vulnerability_exports', { onDone })
  const ofGroup = useAction('POST /security/groups/{id}/vulnerability_exports', { onDone })
  const isFiltered = Object.keys(filters).length > 0

  function start() {
    const body: BodyOf<'POST /security/projects/{id}/vulnerability_exports'> = {
      export_format: format,
      ...(isFiltered && { filters }),
    }
    const request = { path: { id: owner.id }, body }
    if (owner.kind === 'project') ofProject.mutate(request)
    else ofGroup.mutate(request)
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Export vulnerabilities"
      lead={
        isFiltered
          ? 'Those that the filter of the list lets through.'
          : 'All of them; a filter of the list would make it fewer.'
      }
    >
      {id === undefined ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            start()
          }}
        >
          <SelectField<Format> label="Format" choices={formats} value={format} onChoose={setFormat} />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" isBusy={ofProject.isPending || ofGroup.isPending}>
              Export
            </Button>
          </DialogActions>
        </form>
      ) : (
        <Progress id={id} format={format} onClose={onClose} />
      )}
    </Dialog>
  )
}

const isOver = (of: Export | undefined) => of?.status === 'finished' || of?.status === 'failed'

function Progress({ id, format, onClose }: { id: number; format: Format; onClose: () => void }) {
  const request = { path: { id } }
  const first = useAnswer('GET /security/vulnerability_exports/{id}', request)
  const { data } = useAnswer('GET /security/vulnerability_exports/{id}', request, {
    refetchMs: isOver(first.data) ? false : 500,
  })
  const address = api.address('GET /security/vulnerability_exports/{id}/download', request)
  return (
    <div className="stack" aria-live="polite">
      {data?.status === 'failed' && <p>It could not be made. Trying again may help.</p>}
      {data?.status === 'finished' && <p>The file is ready. It is kept for a while, for you alone.</p>}
      {!isOver(data) && (
        <ProgressBar label="Making the file" value={data?.progress?.done} max={data?.progress?.total ?? 0} />
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {data?.status === 'finished' && <SaveButton address={address} filename={`vulnerabilities-${id}.${format}`} />}
      </DialogActions>
    </div>
  )
}

function SaveButton({ address, filename }: { address: string; filename: string }) {
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  async function save() {
    setBusy(true)
    try {
      await saveFile(address, filename)
    } catch (error) {
      toast({ text: (error as Error).message, kind: 'error' }) // nothing else is thrown here
    }
    setBusy(false)
  }
  return (
    <Button kind="primary" icon={Download} isBusy={isBusy} onClick={() => void save()}>
      Save the file
    </Button>
  )
}
