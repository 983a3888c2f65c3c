import { type ReactNode, useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useSession } from '../../data/session.ts'
import type { ApiDocument, ApiOperation } from './document.ts'
import { resolveResponse, schemaOf } from './document.ts'
import { MethodBadge } from './method-badge.tsx'
import styles from './operation-page.module.css'
import { curlOf, fieldsOf, prepare, type Values } from './request.ts'
import { FieldLine, SchemaView } from './schema-view.tsx'
import { texts } from './texts.ts'
import { TryIt } from './try-it.tsx'

/** Returns true for API paths. Their responses depend on the caller even if authentication is optional. */
const isApi = ({ path }: ApiOperation) => path.startsWith('/api/')

const places = { path: texts.path, query: texts.query, body: texts.body }

/** Page of an operation: parameters, responses and a form for test requests. */
export function OperationPage({ document, operation }: { document: ApiDocument; operation: ApiOperation }) {
  const { user } = useSession()
  const fields = useMemo(() => fieldsOf(document, operation), [document, operation])
  const [values, setValues] = useState<Values>({})
  const prepared = prepare(operation, fields, values)
  const command = curlOf(prepared, location.origin, operation.security !== undefined || isApi(operation))
  const [who = '', ...facts] = operation.description.replace(/\.$/, '').split('. ')
  return (
    <Page
      title={operation.summary}
      crumbs={[{ label: texts.allOperations, to: '/-/api' }]}
      lead={
        <div className="stack-tight">
          <p className={styles.address}>
            <MethodBadge method={operation.method} /> <code className={styles.path}>{operation.path}</code>
          </p>
          <p className="row-wrap">
            <Badge tone="info">{who}</Badge>
            {facts.map((fact) => (
              <Badge key={fact}>{fact}</Badge>
            ))}
          </p>
        </div>
      }
    >
      <Panel title={texts.parameters}>
        {fields.length === 0 ? (
          <p className="muted">{texts.noParameters}</p>
        ) : (
          <ul className={styles.fields}>
            {fields.map(({ key, name, schema, isRequired, place }) => (
              <FieldLine
                key={key}
                document={document}
                name={name}
                schema={schema}
                isRequired={isRequired}
                depth={0}
                where={places[place]}
              />
            ))}
          </ul>
        )}
      </Panel>
      <Panel title={texts.example} actions={<CopyButton text={command} label={texts.copyCommand} />}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className={styles.code} tabIndex={0}>
          {command}
        </pre>
      </Panel>
      <TryIt
        operation={operation}
        fields={fields}
        values={values}
        onValues={setValues}
        prepared={prepared}
        sender={user?.name}
      />
      <Panel title={texts.responses}>
        {Object.entries(operation.responses).map(([status, response], index) => (
          <Result key={status} status={status} document={document} isOpen={index === 0}>
            {resolveResponse(document, response)}
          </Result>
        ))}
      </Panel>
    </Page>
  )
}

function Result({
  status,
  document,
  isOpen,
  children: response,
}: {
  status: string
  document: ApiDocument
  isOpen: boolean
  children: ReturnType<typeof resolveResponse>
}): ReactNode {
  const schema = schemaOf(response)
  const tone = status.startsWith('2') ? 'success' : status.startsWith('4') ? 'danger' : 'neutral'
  const heading = (
    <>
      <Badge tone={tone}>{status}</Badge> {response.description}
    </>
  )
  if (!schema) return <p className={styles.answer}>{heading}</p>
  return (
    <details open={isOpen} className={styles.answer}>
      <summary>{heading}</summary>
      <SchemaView document={document} schema={schema} />
    </details>
  )
}
