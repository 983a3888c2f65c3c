import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { useMayChange } from '../../../data/session.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'

/** Badge of the project for READMEs, with Markdown to copy. */
export function BadgePanel() {
  const { project } = useProject()
  const mayChange = useMayChange()
  const path = { id: project.id }
  const query = useApiQuery('GET /projects/{id}/vulnerabilities/badge', { path })
  const publish = useAction('POST /projects/{id}/vulnerabilities/badge', { done: texts.badgePublished })
  const revoke = useAction('DELETE /projects/{id}/vulnerabilities/badge', { done: texts.publicAddressRevoked })
  const url = query.data?.public_url
  return (
    <Panel
      title={texts.badge}
      actions={
        mayChange &&
        query.data && (
          <>
            <Button size="small" isBusy={publish.isPending} onClick={() => publish.mutate({ path })}>
              {url ? texts.replaceAddress : texts.publishBadge}
            </Button>
            {url && (
              <Button size="small" kind="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate({ path })}>
                {texts.revokeAddress}
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
                  <img src={new URL(url).pathname} alt={texts.badgeWithTheOpen} />
                </p>
              )}
              <p>{url ? texts.everyoneWhoHasTheAddress : texts.showsTheOpenCritical}</p>
              {url && (
                <p className="row-wrap">
                  <code>{markdown}</code>
                  <CopyButton text={markdown} label={texts.copyMarkdown} />
                </p>
              )}
            </div>
          )
        }}
      </QueryResult>
    </Panel>
  )
}
