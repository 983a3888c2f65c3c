import { useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { look } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { formatBytes, formatCount } from '../../components/format.ts'
import styles from './operation-page.module.css'
import { texts } from './texts.ts'

/** Response of a test request, or the reason why there is none. */
export type TestResponse =
  | { failure: string }
  | {
      status: number
      statusText: string
      ms: number
      headers: [string, string][]
      type: string
      content: Blob
      /** True: the response was longer than `maxKeptBytes` and is truncated. */
      isCut: boolean
      text?: string
    }

/** Maximum number of characters of a response that are shown. */
const maxShown = 200_000
/** Maximum size of a response that the page keeps. The curl command has no such limit. */
const maxKeptBytes = 16 * 1024 * 1024
/** Maximum number of characters of JSON that is indented. */
const maxIndentedLength = 2_000_000

export async function readResponse(send: () => Promise<Response>): Promise<TestResponse> {
  const start = performance.now()
  try {
    const response = await send()
    const type = response.headers.get('content-type') ?? ''
    const { content, isCut } = await readBegin(response, type)
    const isText = /^(text\/|application\/(json|yaml|xml|sarif|.*\+json))/.test(type)
    return {
      status: response.status,
      statusText: response.statusText,
      ms: Math.round(performance.now() - start),
      headers: [...response.headers],
      type,
      content,
      isCut,
      ...(isText && { text: readable(await content.text(), type) }),
    }
  } catch {
    return { failure: texts.cannotReachTheServer }
  }
}

async function readBegin({ body }: Response, type: string): Promise<{ content: Blob; isCut: boolean }> {
  const reader = body?.getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  while (reader && bytes <= maxKeptBytes) {
    const { done, value } = await reader.read()
    if (done) return { content: new Blob(pieces, { type }), isCut: false }
    pieces.push(value)
    bytes += value.byteLength
  }
  await reader?.cancel()
  return { content: new Blob(pieces, { type }), isCut: reader !== undefined }
}

/** Indents JSON that is not too long. */
function readable(text: string, type: string): string {
  if (!type.includes('json') || text.length > maxIndentedLength) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export function ResponseView({ result }: { result: TestResponse }) {
  if ('failure' in result) return <p role="alert">{result.failure}</p>
  const { status, statusText, ms, headers, content, isCut, text } = result
  const tone = status < 300 ? 'success' : status < 400 ? 'info' : 'danger'
  return (
    <section aria-label={texts.response} className={styles.result}>
      <div className="row-wrap">
        <Badge tone={tone}>
          {status} {statusText}
        </Badge>
        <span className="muted small numbers">
          {fill(texts.ms, { ms: formatCount(ms), isCut: isCut && texts.moreThan, size: formatBytes(content.size) })}
        </span>
        {text && !isCut && <CopyButton text={text} label={texts.copyBody} />}
      </div>
      <details>
        <summary className="small">{texts.headers(headers.length)}</summary>
        <dl className={styles.headers}>
          {headers.map(([name, value]) => (
            <div key={name} className={styles.header}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      <Body result={result} />
    </section>
  )
}

function Body({ result: { content, isCut, text, type } }: { result: Exclude<TestResponse, { failure: string }> }) {
  const url = useObjectUrl(content)
  if (content.size === 0) return <p className="muted">{texts.withoutBody}</p>
  if (text !== undefined) {
    return (
      <>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className={styles.code} tabIndex={0}>
          {text.slice(0, maxShown)}
        </pre>
        {text.length > maxShown && (
          <p className="muted small">
            {fill(texts.showingTheFirstCharacters, {
              maxShown: formatCount(maxShown),
              isCut: !isCut && texts.ofCount(formatCount(text.length)),
            })}
          </p>
        )}
      </>
    )
  }
  if (isCut) return <p className="muted">{texts.theResponseIsToo}</p>
  if (!url) return null
  if (type.startsWith('image/')) return <img src={url} alt={texts.responseBody} className={styles.picture} />
  return (
    <div>
      <a className={look({})} href={url} download="answer">
        {texts.download}
      </a>
    </div>
  )
}

function useObjectUrl(content: Blob): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(content)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  return url
}
