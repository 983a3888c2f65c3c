import type { Emitter, LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import type { Language } from './language.ts'
import { type Look, type Token, type TokenLine, tokenLines } from './tokens.ts'

type Grammar = Promise<{ default: LanguageFn }>

/** Grammars by language. Each is a file of its own. */
const grammars: Readonly<Record<Language, () => Grammar>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

/** Languages inside others: shell commands of a Dockerfile, scripts of a page. */
const embedded: { readonly [Name in Language]?: Language } = { dockerfile: 'bash', xml: 'javascript' }

/** Loads the grammars of languages. */
export async function loadGrammars(languages: readonly Language[]): Promise<void> {
  const wanted = new Set(languages.flatMap((language) => [language, embedded[language] ?? language]))
  await Promise.all(
    [...wanted].map(async (language) => {
      if (hljs.getLanguage(language)) return
      hljs.registerLanguage(language, (await grammars[language]()).default)
    }),
  )
}

/** Returns the tokens of each line; undefined if the highlighter fails or changes the text. */
export function highlight(text: string, language: Language): TokenLine[] | undefined {
  const { _emitter: emitter } = hljs.highlight(text, { language, ignoreIllegals: true })
  if (!(emitter instanceof TokenEmitter)) return undefined
  return emitter.tokens.map((token) => token.text).join('') === text ? tokenLines(emitter.tokens) : undefined
}

/** Collects tokens instead of HTML, so that code stays text. The library constructs emitters, so it is a class. */
class TokenEmitter implements Emitter {
  readonly tokens: Token[] = []
  private readonly looks: (Look | undefined)[] = []

  addText(text: string): void {
    this.tokens.push({ text, look: this.looks.at(-1) })
  }
  startScope(scope: string): void {
    this.looks.push(scope === 'subst' ? undefined : (lookOf(scope) ?? this.looks.at(-1)))
  }
  endScope(): void {
    this.looks.pop()
  }
  openNode(scope: string): void {
    this.startScope(scope)
  }
  closeNode(): void {
    this.endScope()
  }
  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof TokenEmitter) this.tokens.push(...emitter.tokens)
  }
  finalize(): void {}
  toHTML(): string {
    return ''
  }
}

hljs.configure({ __emitter: TokenEmitter })

const looks: Readonly<Record<string, Look | undefined>> = {
  keyword: 'keyword',
  literal: 'keyword',
  meta: 'keyword',
  'variable.language': 'keyword',
  string: 'string',
  regexp: 'string',
  link: 'string',
  number: 'number',
  symbol: 'number',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  title: 'title',
  section: 'title',
  'title.class': 'type',
  type: 'type',
  built_in: 'type',
  name: 'type',
  tag: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  variable: 'name',
  'template-variable': 'name',
}

/** Returns the look of a scope such as `title.class.inherited`, by its longest known part. */
function lookOf(scope: string): Look | undefined {
  const parts = scope.split('.')
  return looks[parts.slice(0, 2).join('.')] ?? looks[parts[0] ?? '']
}
