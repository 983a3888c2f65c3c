import type { ResponseOf } from '@alcove/client'
import { FileJson } from 'lucide-react'
import { useMemo } from 'react'
import { look } from '../../components/button.tsx'
import { NotFound } from '../../components/page/not-found.tsx'
import { Page } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import { useSession } from '../../data/session.ts'
import styles from './api-page.module.css'
import { type ApiDocument, operationsOf } from './document.ts'
import { OperationList } from './operation-list.tsx'
import { OperationPage } from './operation-page.tsx'
import { texts } from './texts.ts'

/** API reference, generated from the OpenAPI document of the server. Shows one operation when the address names it. */
export function ApiPage({ operation }: { operation?: string }) {
  const query = useApiQuery('GET /-/openapi.json', {})
  return (
    <QueryResult query={query} isPage>
      {(response) => <Described response={response} {...(operation !== undefined && { operation })} />}
    </QueryResult>
  )
}

function Described({ response, operation: name }: { response: ResponseOf<'GET /-/openapi.json'>; operation?: string }) {
  const document = response as unknown as ApiDocument // its schema is only `object`
  const operations = useMemo(() => operationsOf(document), [document])
  if (name === undefined) return <AllOperations document={document} />
  const operation = operations.find(({ operationId }) => operationId === name)
  if (!operation) return <NotFound />
  return (
    <div className={styles.split}>
      <aside aria-label={texts.operations} className={styles.side}>
        <OperationList operations={operations} current={name} isNarrow />
      </aside>
      <OperationPage key={name} document={document} operation={operation} />
    </div>
  )
}

function AllOperations({ document }: { document: ApiDocument }) {
  const { user } = useSession()
  const operations = useMemo(() => operationsOf(document), [document])
  return (
    <Page
      title={texts.api}
      lead={
        <p>
          {texts.operationCompatibleWithGitlabs(
            operations.length,
            document.info.version,
            user ? `as ${user.name}.` : texts.withoutAuthentication,
          )}
        </p>
      }
      actions={
        <a className={look({})} href="/-/openapi.json" target="_blank" rel="noreferrer">
          <FileJson size={16} aria-hidden="true" />
          {texts.openapiDocument}
        </a>
      }
    >
      <OperationList operations={operations} />
    </Page>
  )
}
