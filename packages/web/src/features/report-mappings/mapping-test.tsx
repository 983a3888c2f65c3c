import type { Schemas } from '@alcove/client'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DropZone } from '../../components/form/drop-zone.tsx'
import { TextArea } from '../../components/form/field.tsx'
import { api } from '../../data/api.ts'
import { sendForm } from '../../data/send-form.ts'
import { useProject } from '../../nouns/project/project.ts'
import { ImportFailed } from '../reports/import-failed.tsx'
import { Outcome } from '../reports/outcome.tsx'
import { texts } from './texts.ts'

type Import = Schemas['Import']

/** Category of a test, in which no report has findings, so that none seems to be missing from the sample. */
const testCategory = texts.testOfAMapping

/** Tests a mapping with a sample: a dry run, which stores nothing. `read` returns the mapping, or undefined if it is invalid. */
export function MappingTest({ read }: { read: () => object | undefined }) {
  const { project } = useProject()
  const [sample, setSample] = useState('')
  const [file, setFile] = useState<File>()
  const [outcome, setOutcome] = useState<Import>()
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const address = api.address('POST /projects/{id}/security_reports', { path: { id: project.id } })
  const choose = (chosen: File | undefined, text: string) => {
    setFile(chosen)
    setSample(text)
    setOutcome(undefined)
    setProblem('')
  }

  async function test() {
    const mapping = read()
    if (!mapping) return
    const report = file ?? new File([sample], /^\s*[[{]/.test(sample) ? 'sample.json' : 'sample.csv')
    setOutcome(undefined)
    setProblem('')
    setBusy(true)
    try {
      const options = { dry_run: 'true', category: testCategory, mapping: JSON.stringify(mapping) }
      setOutcome(await sendForm<Import>(address, { ...options, file: report }, () => {}).response)
    } catch (error) {
      setProblem((error as Error).message) // always an Error
    } finally {
      setBusy(false)
    }
  }

  return (
    <section className="stack" aria-label={texts.testMapping}>
      <h3>{texts.testMapping}</h3>
      <p className="muted">{texts.pasteAPartOfAReport}</p>
      <TextArea
        label={texts.sample}
        rows={6}
        spellCheck={false}
        value={sample}
        onChange={({ target }) => choose(undefined, target.value)}
        hint={file ? texts.testingInstead(file.name) : texts.csvWithAHeader}
      />
      <DropZone
        label={texts.dropASampleFile}
        hint={texts.csvOrJson}
        icon={FileUp}
        onFiles={([chosen]) => choose(chosen, '')}
      />
      <div className="row-wrap">
        <Button disabled={!file && sample.trim() === ''} isBusy={isBusy} onClick={() => void test()}>
          {texts.testMapping}
        </Button>
      </div>
      <div className="stack" aria-live="polite">
        {problem && <ImportFailed problem={problem} />}
        {outcome && <Outcome report={outcome} />}
      </div>
    </section>
  )
}
