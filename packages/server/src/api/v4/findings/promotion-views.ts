import Type from 'typebox'
import type { BulkPromotion } from '../../../domain/vulnerabilities/promotion/promote-many.ts'
import { nullableString } from '../views.ts'

const promotionStates = ['running', 'done', 'failed'] as const

export const promotionView = Type.Object(
  {
    id: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Null if the promotion finished within the request',
    }),
    status: Type.Unsafe<(typeof promotionStates)[number]>({ type: 'string', enum: promotionStates }),
    total: Type.Integer({ description: 'Number of selected findings' }),
    promoted: Type.Integer({ description: 'Number of findings promoted to vulnerabilities' }),
    unchanged: Type.Integer({ description: 'Number of findings that were already promoted' }),
    error: { ...nullableString, description: 'Reason of a failure' },
  },
  { title: 'FindingPromotion' },
)

export const viewPromotion = ({ id, state, total, promoted, unchanged, error }: BulkPromotion) => ({
  id,
  status: state,
  total,
  promoted,
  unchanged,
  error,
})
