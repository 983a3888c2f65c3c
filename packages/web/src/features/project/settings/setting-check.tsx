import { type ReactNode, useEffect, useState } from 'react'
import { CheckField } from '../../../components/form/field.tsx'
import { useAction } from '../../../data/api.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'

type Name =
  | 'promote_vulnerabilities_on_ingestion'
  | 'auto_resolve_vulnerabilities'
  | 'enforce_auth_checks_on_uploads'
  | 'accept_reporters_files'

/** Checkbox for a project setting, saved when it changes. */
export function SettingCheck({ name, label, hint }: { name: Name; label: string; hint: ReactNode }) {
  const { project } = useProject()
  const value = project[name] ?? false
  // The requested value is shown until the project has it.
  const [wanted, setWanted] = useState<boolean>()
  useEffect(() => {
    if (wanted === value) setWanted(undefined)
  }, [wanted, value])
  const action = useAction('PUT /projects/{id}', { done: texts.saved })
  return (
    <CheckField
      label={label}
      hint={hint}
      checked={wanted ?? value}
      onChange={({ target }) => {
        setWanted(target.checked)
        const request = { path: { id: project.id }, body: { [name]: target.checked } }
        action.mutate(request, { onError: () => setWanted(undefined) })
      }}
    />
  )
}
