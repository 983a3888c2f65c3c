import { Badge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import { type ApiDocument, resolveSchema, type Schema, typeInWords, withoutNull } from './document.ts'
import styles from './schema-view.module.css'
import { texts } from './texts.ts'

/** Maximum nesting depth, which also ends recursive schemas. */
const maxDepth = 6

/** Fields of a schema with their nested fields. */
export function SchemaView({ document, schema, depth = 0 }: { document: ApiDocument; schema: Schema; depth?: number }) {
  const inner = innerOf(document, schema)
  if (!inner.properties) return depth === 0 ? <Leaf document={document} schema={schema} /> : null
  const required = new Set(inner.required)
  return (
    <ul className={styles.fields}>
      {Object.entries(inner.properties).map(([name, field]) => (
        <FieldLine
          key={name}
          document={document}
          name={name}
          schema={field}
          isRequired={required.has(name)}
          depth={depth}
        />
      ))}
    </ul>
  )
}

export function FieldLine({
  document,
  name,
  schema,
  isRequired,
  depth,
  where,
}: {
  document: ApiDocument
  name: string
  schema: Schema
  isRequired: boolean
  depth: number
  /** Location of a parameter in the request. */
  where?: string
}) {
  const hasFields = depth < maxDepth && innerOf(document, schema).properties !== undefined
  return (
    <li className={styles.field}>
      <div className="row-wrap">
        <code className={styles.name}>{name}</code>
        <span className={styles.type}>{typeInWords(document, schema)}</span>
        {where && <Badge>{where}</Badge>}
        {isRequired && <Badge tone="accent">{texts.required}</Badge>}
      </div>
      <Facts schema={schema} />
      {hasFields && (
        <details>
          <summary className="small">{texts.fields}</summary>
          <SchemaView document={document} schema={schema} depth={depth + 1} />
        </details>
      )}
    </li>
  )
}

function Leaf({ document, schema }: { document: ApiDocument; schema: Schema }) {
  return (
    <div className="stack-tight">
      <span className={styles.type}>{typeInWords(document, schema)}</span>
      <Facts schema={schema} />
    </div>
  )
}

function Facts({ schema: given }: { schema: Schema }) {
  const { schema } = withoutNull(given)
  const values = schema.enum ?? schema.items?.enum
  const description = given.description ?? schema.description
  const range = [
    ...(schema.minimum === undefined ? [] : [texts.atLeast(schema.minimum)]),
    ...(schema.maximum === undefined ? [] : [texts.atMost(schema.maximum)]),
  ]
  const standard = given.default ?? schema.default
  if (!values && !description && range.length === 0 && standard === undefined) return null
  return (
    <div className={styles.facts}>
      {description && <p>{description}</p>}
      {values && (
        <p>
          {texts.oneOf}{' '}
          {values.map((value, index) => (
            <span key={String(value)}>
              {index > 0 && ', '}
              <code>{String(value)}</code>
            </span>
          ))}
        </p>
      )}
      {range.length > 0 && <p>{range.join(', ')}</p>}
      {standard !== undefined && <p>{fill(texts.defaultLabel, { code: <code>{JSON.stringify(standard)}</code> })}</p>}
    </div>
  )
}

/** Resolves references, null and lists to the schema that has the fields. */
function innerOf(document: ApiDocument, given: Schema): Schema {
  const { schema } = resolveSchema(document, withoutNull(given).schema)
  if (schema.type === 'array' && schema.items) return innerOf(document, schema.items)
  if (schema.anyOf) return schema.anyOf.map((one) => innerOf(document, one)).find((one) => one.properties) ?? schema
  return schema
}
