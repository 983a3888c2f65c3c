import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { useMayChange } from '../../../data/session.ts'
import { useProject } from '../../../nouns/project/project.ts'

/** Badge of the project for READMEs, with Markdown to copy. */
export function BadgePanel() {
  const { project } = useProject()
  const mayChange = useMayChange()
  const path = { id: project.id }
  const query = useApiQuery('GET /projects/{id}/vulnerabilities/badge', { path })
  const publish = useAction('POST /projects/{id}/vulnerabilities/badge', { done: 'Badge published.' })
  const revoke = useAction('DELETE /projects/{id}/vulnerabilities/badge', { done: 'Public address revoked.' })
  const url = query.data?.public_url
  return (
    <Panel
      title="Badge"
      actions={
        mayChange &&
        query.data && (
          <>
            <Button size="small" isBusy={publish.isPending} onClick={() => publish.mutate({ path })}>
              {url ? 'Replace address' : 'Publish badge'}
            </Button>
            {url && (
              <Button size="small" kind="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate({ path })}>
                Revoke address
              </Button>
            )}
          </>
        )
      }
    >
      <QueryResult query={query}>
        {({ public_url: url }) => {
          const markdown = url ? `[![Vulnerabilities](${url})](${location.origin}/${project.path_with_namespace})` : ''
          return (
            <div className="stack">
              {url && (
                <p>
                  <img src={new URL(url).pathname} alt="Badge with the open critical and high vulnerabilities" />
                </p>
              )}
              <p>
                {url
                  ? 'Everyone who has the address can see the badge.'
                  : 'Shows the open critical and high vulnerabilities. Publish it to show it in a README.'}
              </p>
              {url && (
                <p className="row-wrap">
                  <code>{markdown}</code>
                  <CopyButton text={markdown} label="Copy Markdown" />
                </p>
              )}
            </div>
          )
        }}
      </QueryResult>
    </Panel>
  )
}
