import { useEffect, useRef, useState } from 'react'
import { useToast } from '../../data/toasts.ts'
import { texts } from '../texts.ts'

/** Accepts files that are dropped anywhere in the window or pasted. Returns true while files are dragged over it. */
export function useFileDrops(onFiles: (files: File[]) => void, { isEnabled = true } = {}): boolean {
  const [isOver, setOver] = useState(false)
  const toast = useToast()
  const latestOnFiles = useRef(onFiles)
  latestOnFiles.current = onFiles
  const latestToast = useRef(toast)
  latestToast.current = toast
  useEffect(() => {
    if (!isEnabled) return
    const acceptAll = (data: DataTransfer | null) => {
      const { files, folders } = filesIn(data)
      if (folders > 0) latestToast.current({ text: texts.foldersCannotBeUploaded, kind: 'error' })
      if (files.length > 0) latestOnFiles.current(files)
      return files.length > 0
    }
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setOver(true)
    }
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      setOver(false)
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      acceptAll(event.dataTransfer)
    }
    const onPaste = (event: ClipboardEvent) => {
      // Text copied from a document comes with an image of itself: in a text field, the text is pasted.
      const isText = event.clipboardData?.types.includes('text/plain')
      if (isText && isTextField(event.target)) return
      if (acceptAll(event.clipboardData)) event.preventDefault()
    }
    addEventListener('dragover', onDragOver)
    addEventListener('dragleave', onDragLeave)
    addEventListener('drop', onDrop)
    addEventListener('paste', onPaste)
    return () => {
      removeEventListener('dragover', onDragOver)
      removeEventListener('dragleave', onDragLeave)
      removeEventListener('drop', onDrop)
      removeEventListener('paste', onPaste)
    }
  }, [isEnabled])
  return isOver
}

function filesIn(data: DataTransfer | null): { files: File[]; folders: number } {
  const files: File[] = []
  let folders = 0
  for (const item of data?.items ?? []) {
    if (item.kind !== 'file') continue
    const file = item.getAsFile()
    if (item.webkitGetAsEntry?.()?.isDirectory) folders++
    else if (file) files.push(named(file))
  }
  return { files, folders }
}

/** Adds the time to the name of a pasted image, because browsers give all of them the same name. */
function named(file: File): File {
  if (!/^image\.(png|jpe?g|gif|webp)$/.test(file.name)) return file
  const [day = '', time = ''] = new Date().toISOString().slice(0, 19).split('T')
  const extension = file.name.slice(file.name.lastIndexOf('.'))
  return new File([file], `pasted-${day}-${time.replaceAll(':', '')}${extension}`, { type: file.type })
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement
}
