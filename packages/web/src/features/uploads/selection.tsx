import { useCallback, useMemo, useState } from 'react'
import type { StoredFile } from './owner.ts'
import styles from './selection.module.css'
import { texts } from './texts.ts'

/** Selected files, including those on other pages of the list. */
export interface Selection {
  files: readonly StoredFile[]
  has: (file: StoredFile) => boolean
  set: (files: readonly StoredFile[], isSelected: boolean) => void
  clear: () => void
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<number, StoredFile>>(new Map())
  const set = useCallback((files: readonly StoredFile[], isSelected: boolean) => {
    setChosen((before) => {
      const after = new Map(before)
      for (const file of files) {
        if (isSelected) after.set(file.id, file)
        else after.delete(file.id)
      }
      return after
    })
  }, [])
  const clear = useCallback(() => setChosen(new Map()), [])
  return useMemo(
    () => ({ files: [...chosen.values()], has: ({ id }: StoredFile) => chosen.has(id), set, clear }),
    [chosen, set, clear],
  )
}

export function SelectAll({ files, selection }: { files: readonly StoredFile[]; selection: Selection }) {
  const count = files.filter(selection.has).length
  return (
    <input
      type="checkbox"
      className={styles.check}
      aria-label={texts.selectAllOnThisPage}
      checked={count > 0 && count === files.length}
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && count < files.length
      }}
      onChange={({ target }) => selection.set(files, target.checked)}
    />
  )
}

export function SelectOne({ file, selection }: { file: StoredFile; selection: Selection }) {
  return (
    <input
      type="checkbox"
      className={styles.check}
      aria-label={texts.select(file.name)}
      checked={selection.has(file)}
      onChange={({ target }) => selection.set([file], target.checked)}
    />
  )
}
