import { useEffect, useState } from 'react'
import { type Language, languageOf } from './language.ts'
import { isTooLong, type TokenLine } from './tokens.ts'

/** Returns the tokens of each line of a text; undefined if it is shown without colours. */
export type Highlighter = (text: string, file: string | undefined) => TokenLine[] | undefined

const none: Highlighter = () => undefined

/** Loads the highlighter for a text, the code of some files. Until then, and for long texts, it returns no tokens. */
export function useHighlighter(files: readonly (string | undefined)[], text: string): Highlighter {
  const languages = [...new Set(files.map(languageOf))].filter((language) => language !== undefined).sort()
  const key = languages.length === 0 || isTooLong(text) ? '' : languages.join()
  const [loaded, setLoaded] = useState<{ key: string; highlighter: Highlighter }>()
  useEffect(() => {
    if (key === '') return
    let isCurrent = true
    load(key.split(',') as Language[]).then(
      (highlighter) => isCurrent && setLoaded({ key, highlighter }),
      // Code without colours is complete. Its files are fetched again when other code is shown.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [key])
  return loaded?.key === key ? loaded.highlighter : none
}

async function load(languages: readonly Language[]): Promise<Highlighter> {
  const { highlight, loadGrammars } = await import('./highlight.ts')
  await loadGrammars(languages)
  return (text, file) => {
    const language = languageOf(file)
    return language && highlight(text, language)
  }
}
