import type { Schemas } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { formatCount } from '../../../components/format.ts'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { Table } from '../../../components/table.tsx'
import { Time } from '../../../components/time.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'
import { SettingCheck } from './setting-check.tsx'

type ProjectFile = Schemas['ProjectFile']

/** Files of the repository that came with reports, such as CODEOWNERS and the ignore files of scanners. */
export function ProjectFilesPanel() {
  const { project } = useProject()
  const path = { id: project.id }
  const query = useApiQuery('GET /projects/{id}/project_files', { path })
  return (
    <Panel title={texts.filesOfTheRepository}>
      <SettingCheck
        name="accept_reporters_files"
        label={texts.acceptFilesFromEveryone}
        hint={texts.otherwiseCodeownersAlcoveYml}
      />
      <QueryResult query={query}>
        {(files) => (files.length === 0 ? <p>{texts.noReportForTheDefault}</p> : <FileTable files={files} />)}
      </QueryResult>
    </Panel>
  )
}

function FileTable({ files }: { files: readonly ProjectFile[] }) {
  return (
    <Table
      label={texts.receivedFiles}
      head={[texts.file, texts.branch, texts.received, texts.sender, texts.linesWithoutEffect, '']}
    >
      {files.map((file) => (
        <tr key={file.name}>
          <td>
            <code>{file.path}</code>
          </td>
          <td>{file.ref}</td>
          <td>
            <Time of={file.updated_at} />
          </td>
          <td>{file.author?.name ?? texts.deletedUser}</td>
          <td>
            <Warnings file={file} />
          </td>
          <td>
            <DeleteFile file={file} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Warnings({ file: { warnings } }: { file: ProjectFile }) {
  if (warnings.length === 0) return texts.none
  return (
    <details>
      <summary>{formatCount(warnings.length)}</summary>
      <ul>
        {warnings.map(({ line, message }) => (
          <li key={`${line} ${message}`}>{texts.line(line, message)}</li>
        ))}
      </ul>
    </details>
  )
}

function DeleteFile({ file: { name } }: { file: ProjectFile }) {
  const { project } = useProject()
  const [isAsked, setIsAsked] = useState(false)
  const action = useAction('DELETE /projects/{id}/project_files/{name}', { done: texts.fileDeleted })
  return (
    <>
      <Button size="small" kind="danger" onClick={() => setIsAsked(true)}>
        {texts.deleteLabelName(name)}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={texts.deleteLabel(name)}
        lead={texts.theRulesOfTheFile}
        confirm={texts.deleteFile}
        isBusy={action.isPending}
        onConfirm={() => action.mutate({ path: { id: project.id, name } })}
      />
    </>
  )
}
