import { useCallback, useSyncExternalStore } from 'react'
import { queries } from '../../../data/api.ts'
import { type SessionState, sessionQuery } from '../../../data/session.ts'
import { store } from '../../../data/store.ts'
import { keyOf, type UploadOwner } from '../owner.ts'
import { addFiles, type QueuedFile, queue } from '../queue/upload-queue.ts'
import { texts } from '../texts.ts'

/** Text of a pad, and the placeholders in it for queued files, by file key. */
interface Pad {
  text: string
  marks: Map<number, string>
}

// Outside React state: finished uploads replace their placeholders also while another page is shown.
const pads = store.slot(() => new Map<string, Pad>())

function padOf(owner: UploadOwner): Pad {
  const known = pads.get().get(storageKey(owner))
  if (known) return known
  // Placeholders from an earlier visit, whose uploads never finished.
  const text = read(owner).replace(/!\[uploading ([^\]\n]*) …\]\(\)/g, '![$1 was not uploaded]()')
  const pad = { text, marks: new Map<number, string>() }
  pads.get().set(storageKey(owner), pad)
  return pad
}

export function usePadText(owner: UploadOwner): [text: string, set: (text: string) => void] {
  const text = useSyncExternalStore(pads.subscribe, () => padOf(owner).text)
  const set = useCallback((text: string) => setText(owner, text), [owner])
  return [text, set]
}

function setText(owner: UploadOwner, text: string): void {
  padOf(owner).text = text
  keep(owner, text)
  pads.set(pads.get())
}

/** Uploads the files. Returns the placeholders to insert into the text. */
export function uploadIntoPad(owner: UploadOwner, files: readonly File[]): string {
  const { marks } = padOf(owner)
  const keys = addFiles(owner, files)
  const added = files.map(({ name }, index) => {
    const mark = unusedMark(name, new Set(marks.values()))
    marks.set(keys[index] ?? 0, mark)
    return mark
  })
  return added.join('\n')
}

function unusedMark(name: string, used: ReadonlySet<string>): string {
  const plain = name.replace(/[[\]\\\n]/g, '_')
  for (let count = 1; ; count++) {
    const mark = texts.uploading(plain, count === 1 ? '' : ` (${count})`)
    if (!used.has(mark)) return mark
  }
}

queue.subscribe(() => {
  const files = queue.get()
  for (const pad of pads.get().values()) {
    for (const [key, mark] of pad.marks) {
      const item = files.find((item) => item.key === key)
      const next = item ? wordsFor(item, mark) : mark
      if (item && next !== mark) replaceMark(item.owner, key, mark, next)
      if (!item || item.state === 'done' || item.state === 'cancelled') pad.marks.delete(key)
    }
  }
})

function wordsFor({ name, state, stored }: QueuedFile, mark: string): string {
  switch (state) {
    case 'done':
      return stored?.markdown ?? ''
    case 'cancelled':
      return ''
    case 'failed':
      return texts.wasNotUploaded(name.replace(/[[\]\\\n]/g, '_'))
    default:
      return mark
  }
}

/** Replaces a placeholder. Does nothing if the user has deleted it. */
function replaceMark(owner: UploadOwner, key: number, mark: string, next: string): void {
  const pad = padOf(owner)
  pad.marks.set(key, next)
  const { text } = pad
  const start = text.indexOf(mark)
  if (start >= 0) setText(owner, text.slice(0, start) + next + text.slice(start + mark.length))
}

/** Returns the storage key, which differs for each user of this browser. */
function storageKey(owner: UploadOwner): string {
  const user = queries.getQueryData<SessionState>(sessionQuery.queryKey)?.user?.id
  return `alcove-pad-${user ?? 'nobody'}-${keyOf(owner)}` // english: part of a stored key
}

function read(owner: UploadOwner): string {
  try {
    return localStorage.getItem(storageKey(owner)) ?? ''
  } catch {
    return ''
  }
}

/** Stores the text. If storage is full or blocked, the text is kept only until the page closes. */
function keep(owner: UploadOwner, text: string): void {
  try {
    if (text === '') localStorage.removeItem(storageKey(owner))
    else localStorage.setItem(storageKey(owner), text)
  } catch {}
}

// Takes over changes from other tabs.
addEventListener('storage', ({ key, newValue }) => {
  if (key === null) return
  const pad = pads.get().get(key)
  if (pad) pad.text = newValue ?? ''
  pads.set(pads.get())
})
