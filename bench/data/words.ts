const kinds = `accessible adaptive agile ambient analog applied assistive async atomic augmented autonomous balanced
  bayesian binary biomedical bounded cached causal cellular certified chaotic civic classic clinical cloud cognitive
  collaborative compact composable computational concurrent connected continuous cooperative creative critical
  cryptographic custom daily declarative deep digital discrete distributed domestic dynamic eager edge elastic
  electric embedded encrypted evolutionary experimental explicit extended federated fluid formal fractal functional
  fuzzy general generative genetic geometric global graphical green harmonic hidden hybrid immutable imperative
  industrial inner interactive lazy lean linear local logical machine magnetic managed medical mobile modular
  multimodal municipal native`.split(/\s+/)

const fields = `accounting agriculture analytics animation archive astronomy audio authentication automation banking
  biology blockchain bookkeeping browser calendar cartography chemistry climate commerce compiler compliance compression
  computing configuration container cooking database debugging delivery deployment design diagnostics editor education
  emulation energy engineering finance firewall fitness forecasting forensics gaming genomics geography governance
  graphics hardware healthcare history hosting imaging insurance inventory journalism kernel language learning library
  linguistics logging logistics manufacturing marketing mathematics messaging metrics mining modelling monitoring
  navigation networking neuroscience optimisation parsing payments photography physics planning printing`.split(/\s+/)

const things = `toolkit framework plugins examples tutorial notebooks service platform gateway client templates
  benchmarks datasets research guidelines workshop pipeline dashboards agents drivers widgets`.split(/\s+/)

/** Returns the name of a topic. Names are deterministic, and distinct for more than 150,000 numbers. */
export function topicName(number: number): string {
  const kind = kinds[number % kinds.length]
  const field = fields[Math.floor(number / kinds.length) % fields.length]
  const rest = Math.floor(number / (kinds.length * fields.length))
  return rest === 0 ? `${kind} ${field}` : `${kind} ${field} ${things[(rest - 1) % things.length]}`
}

/** Returns a search text: one frequent word, or two that are rarer together. */
export function searchText(number: number): string {
  const [kind, field] = topicName(number).split(' ')
  return number % 2 === 0 ? `${kind} ${field}` : `${field}`
}

/** Returns a description with this number of words. */
export function sentence(seed: number, words: number): string {
  const chosen = Array.from({ length: words }, (_, index) => fields[(seed * 31 + index * 17) % fields.length])
  return `The ${chosen.join(' ')} at this place can be reached from outside.`
}
