import { useCallback, useState } from 'react'
import { api, queries } from '../../data/api.ts'
import { useToast } from '../../data/toasts.ts'
import { operationsOf, type StoredFile, type UploadOwner } from './owner.ts'
import { texts } from './texts.ts'

type Few = readonly Pick<StoredFile, 'id' | 'name'>[]

export interface Removal {
  /** Deletes files without confirmation and shows a toast with an undo button. */
  remove: (files: Few) => Promise<void>
  restore: (files: Few) => Promise<void>
  isBusy: boolean
}

export function useRemoval(owner: UploadOwner): Removal {
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)

  const perform = useCallback(
    async (operation: 'remove' | 'restore', files: Few) => {
      setBusy(true)
      const path = (id: number) => ({ path: { id: owner.id, upload_id: id } })
      const { done, problem } = await eachOf(files, ({ id }) => api.call(operationsOf(owner)[operation], path(id)))
      setBusy(false)
      void queries.invalidateQueries()
      if (problem) {
        const verb = operation === 'remove' ? 'deleted' : 'restored'
        const left = files.length - done.length
        toast({ text: texts.fileCouldNotBe(left, verb, problem.message), kind: 'error' })
      }
      return done
    },
    [owner, toast],
  )

  const restore = useCallback(
    async (files: Few) => {
      const done = await perform('restore', files)
      if (done.length > 0) toast({ text: texts.restored(nameOrCount(done)) })
    },
    [perform, toast],
  )
  const remove = useCallback(
    async (files: Few) => {
      const done = await perform('remove', files)
      if (done.length === 0) return
      toast({
        text: texts.deletedNameOrCount(nameOrCount(done)),
        action: { label: texts.undo, run: () => void restore(done) },
      })
    },
    [perform, restore, toast],
  )
  return { remove, restore, isBusy }
}

function nameOrCount(files: Few): string {
  return files.length === 1 ? (files[0]?.name ?? '') : texts.fileCount(files.length)
}

const maxConcurrent = 4

/** Runs an operation for each file, a few at a time. A failure does not stop the others. */
async function eachOf(
  files: Few,
  run: (file: Few[number]) => Promise<unknown>,
): Promise<{ done: Few; problem?: Error }> {
  const left = [...files]
  const done: Few[number][] = []
  let problem: Error | undefined
  const work = async () => {
    for (let file = left.shift(); file; file = left.shift()) {
      try {
        await run(file)
        done.push(file)
      } catch (error) {
        problem ??= error as Error // always an Error
      }
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, work))
  return { done, ...(problem && { problem }) }
}
