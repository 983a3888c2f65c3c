import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Eraser, NotebookPen } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Redirect } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { DropHint } from '../../../components/form/drop-hint.tsx'
import { useFileDrops } from '../../../components/form/file-drops.ts'
import { RenderedMarkdown } from '../../../components/markdown.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Empty, QueryResult } from '../../../components/page/states.tsx'
import { api } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { useMayChange } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import { addressOf, type UploadOwner } from '../owner.ts'
import { ChooseFiles } from '../queue/drop-zone.tsx'
import { QueueList } from '../queue/queue-list.tsx'
import { texts } from '../texts.ts'
import styles from './pad.module.css'
import { uploadIntoPad, usePadText } from './pad-text.ts'

/** Scratchpad for Markdown with images, stored in this browser. */
export function MarkdownPad({ owner }: { owner: UploadOwner }) {
  if (!useMayChange()) return <Redirect to={addressOf(owner)} replace />
  return <Pad owner={owner} />
}

function Pad({ owner }: { owner: UploadOwner }) {
  const [text, setText] = usePadText(owner)
  const [{ show = 'text' }, set] = useSearchState(['show'])
  const toast = useToast()
  const field = useRef<HTMLTextAreaElement>(null)
  useShown(field, text)

  const take = (files: File[]) => {
    const area = field.current
    if (!area) return
    const words = uploadIntoPad(owner, files)
    area.setRangeText(words, area.selectionStart, area.selectionEnd, 'end')
    setText(area.value)
    area.focus()
  }
  const isOver = useFileDrops(take)
  const clear = () => {
    setText('')
    toast({ text: texts.padCleared, action: { label: texts.undo, run: () => setText(text) } })
  }

  return (
    <Page
      title={texts.markdownPad}
      crumbs={[{ label: texts.uploads, to: addressOf(owner) }]}
      lead={texts.writeMarkdownPasteScreenshots}
      actions={
        <>
          <ChooseFiles label={texts.addFiles} onFiles={take} />
          <Button icon={Eraser} disabled={text === ''} onClick={clear}>
            {texts.clear}
          </Button>
          <CopyButton label={texts.copyAll} size="normal" text={text} />
        </>
      }
    >
      <DropHint isShown={isOver} text={texts.dropToUpload} />
      <div className={styles.switch}>
        {(['text', 'preview'] as const).map((side) => (
          <Button
            key={side}
            size="small"
            kind={show === side ? 'primary' : 'plain'}
            aria-pressed={show === side}
            onClick={() => set({ show: side === 'text' ? undefined : side }, { isReplacing: true })}
          >
            {side === 'text' ? texts.text : texts.preview}
          </Button>
        ))}
      </div>
      <div className={styles.sides} data-show={show}>
        <section className={styles.text} aria-label={texts.text}>
          <textarea
            ref={field}
            className={styles.field}
            aria-label={texts.markdown}
            placeholder={texts.writeMarkdownHereOrPaste}
            spellCheck
            defaultValue={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </section>
        <section className={styles.preview} aria-label={texts.preview}>
          <Rendered text={text} owner={owner} />
        </section>
      </div>
      <QueueList owner={owner} />
    </Page>
  )
}

/**
 * Updates the field when the text changes elsewhere. Replaces only the part that differs, so that the cursor keeps its
 * position when uploads before or after it finish.
 */
function useShown(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const area = field.current
    if (!area || area.value === text) return
    const before = area.value
    const max = Math.min(before.length, text.length)
    let start = 0
    while (start < max && before[start] === text[start]) start++
    let same = 0
    while (same < max - start && before[before.length - 1 - same] === text[text.length - 1 - same]) same++
    area.setRangeText(text.slice(start, text.length - same), start, before.length - same, 'preserve')
  }, [field, text])
}

const restMs = 300

/** Debounced preview, rendered by the API. The previous preview stays until the new one is loaded. */
function Rendered({ text, owner }: { text: string; owner: UploadOwner }) {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  const isBlank = rested.trim() === ''
  const query = useQuery({
    queryKey: ['POST /markdown', owner.kind, owner.id, rested],
    queryFn: ({ signal }) => api.call('POST /markdown', { body: bodyFor(owner, rested) }, { signal }),
    enabled: !isBlank,
    placeholderData: keepPreviousData,
    gcTime: 30_000,
  })
  if (isBlank) {
    return (
      <Empty icon={NotebookPen} title={texts.nothingToPreview}>
        <p>{texts.thePreviewOfYourText}</p>
      </Empty>
    )
  }
  return <QueryResult query={query}>{({ html }) => <RenderedMarkdown html={html} />}</QueryResult>
}

/** Returns the request body. The API resolves upload links of projects only, so those of groups are expanded here. */
function bodyFor(owner: UploadOwner, text: string): { text: string; gfm: boolean; project?: string } {
  if (owner.kind === 'project') return { text, gfm: true, project: owner.path }
  return { text: text.replace(/\]\(\/uploads\/(?=[0-9a-f]{32}\/)/g, `](/-/group/${owner.id}/uploads/`), gfm: true }
}
