// The definitions of custom fields (interface, 4.4). The service has no writes for them.
import type { CustomFieldReader } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { notAsked } from './course.ts'
import type { Perform } from './request.ts'
import { lookupName, requestUrl } from './url.ts'
import { readCustomField, readCustomFields } from './wire.ts'

const BY_NAME = '/custom-fields/<field_name>'

/** The custom field operations of the service. */
export function createCustomFieldCalls(settings: ServiceSettings, perform: Perform): CustomFieldReader {
  return {
    customFields: () =>
      perform({
        method: 'GET',
        path: '/custom-fields',
        target: 'collection',
        url: requestUrl(settings, ['custom-fields']),
        repeatable: true,
        read: readCustomFields,
      }),
    customFieldById: (id) =>
      perform({
        method: 'GET',
        path: '/custom-fields/<field_id>',
        target: 'object',
        url: requestUrl(settings, ['custom-fields', id]),
        repeatable: true,
        read: (json) => {
          const field = readCustomField(json)
          return field?.id === id ? field : undefined
        },
        emptyListIsNone: true,
      }),
    async customFieldByName(name) {
      const segment = lookupName(name)
      if (segment === undefined)
        return notAsked(BY_NAME, 'A name like this cannot be looked up: its path could name something else')
      return perform({
        method: 'GET',
        path: BY_NAME,
        target: 'object',
        url: requestUrl(settings, ['custom-fields', segment]),
        repeatable: true,
        read: readCustomField,
        emptyListIsNone: true,
      })
    },
  }
}
