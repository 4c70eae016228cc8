// Functions of SQLite that statements of the stores use, made in the schema of the state: in front of the server's own, as the
// connection looks there first. With them the same statements mean the same in both databases.
import { PRINT_BYTES } from '../log/audit-seal.ts'

const texts = `
CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT document::json #>> string_to_array(replace(pg_catalog.substr(path, 3), '"', ''), '.')
$$;
CREATE FUNCTION json_member(document text, name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN pg_catalog.left(name, 1) = '$'
    THEN document::json #>> string_to_array(replace(pg_catalog.substr(name, 3), '"', ''), '.')
    ELSE document::json OPERATOR(pg_catalog.->>) name END
$$;
CREATE FUNCTION json_element(document text, place integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT document::json OPERATOR(pg_catalog.->>) place
$$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member);
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = json_element);
CREATE FUNCTION json_each(list text) RETURNS TABLE (key text, value text) LANGUAGE sql IMMUTABLE AS $$
  SELECT (place - 1)::text, item #>> '{}'
  FROM json_array_elements(CASE WHEN json_typeof(list::json) = 'array' THEN list::json END) WITH ORDINALITY AS a(item, place)
  UNION ALL SELECT name, item #>> '{}'
  FROM pg_catalog.json_each(CASE WHEN json_typeof(list::json) = 'object' THEN list::json END) AS o(name, item)
$$;
CREATE FUNCTION json_each(list text, path text) RETURNS TABLE (key text, value text) LANGUAGE sql IMMUTABLE AS $$
  SELECT key, value FROM json_each(json_extract(list, path))
$$;
CREATE FUNCTION json_array_length(list text, path text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_catalog.json_array_length(json_extract(list, path)::json)
$$;
CREATE FUNCTION json_array_length(list text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_catalog.json_array_length(list::json)
$$;
CREATE FUNCTION json_list(items anycompatiblearray) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT array_to_json(items)::text
$$;
CREATE AGGREGATE json_group_array(anycompatible) (
  SFUNC = array_append, STYPE = anycompatiblearray, INITCOND = '{}', FINALFUNC = json_list
);
CREATE FUNCTION joined(texts text, further text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN further IS NULL THEN texts ELSE coalesce(texts || ',', '') || further END
$$;
CREATE AGGREGATE group_concat(text) (SFUNC = joined, STYPE = text);
CREATE FUNCTION instr(whole text, part text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT strpos(whole, part) $$;
CREATE FUNCTION substr(whole text, first integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN first < 0 THEN pg_catalog.right(whole, -first) ELSE pg_catalog.substr(whole, first) END
$$;
`

const values = `
CREATE FUNCTION iif(holds boolean, one anycompatible, other anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN holds THEN one ELSE other END
$$;
CREATE FUNCTION iif(holds bigint, one anycompatible, other anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN holds <> 0 THEN one ELSE other END
$$;
CREATE FUNCTION max(one bigint, other bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT greatest(one, other) $$;
CREATE FUNCTION max(one bigint, other bigint, third bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT greatest(one, other, third)
$$;
CREATE FUNCTION min(one bigint, other bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT least(one, other) $$;
CREATE FUNCTION counted(number bigint, holds boolean) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN holds IS NULL THEN number ELSE coalesce(number, 0) + holds::integer END
$$;
CREATE AGGREGATE sum(boolean) (SFUNC = counted, STYPE = bigint);
CREATE FUNCTION strftime(form text, moment text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE form WHEN '%s' THEN floor(extract(epoch FROM moment::timestamptz))::bigint::text END
$$;
`

// HMAC with SHA-256 under a key of just one block, as audit-seal.ts makes it: not every server has an extension for it.
const prints = `
CREATE FUNCTION turned(key bytea, by integer) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE result bytea := key;
BEGIN
  FOR place IN 0 .. 63 LOOP
    result := set_byte(result, place, get_byte(result, place) # by);
  END LOOP;
  RETURN result;
END $$;
CREATE FUNCTION log_name_print(VARIADIC parts text[]) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
DECLARE secret bytea;
BEGIN
  SELECT convert_to(value, 'UTF8') INTO secret FROM meta WHERE name = 'audit_secret';
  RETURN pg_catalog.substr(sha256(turned(secret, 92) || sha256(turned(secret, 54)
    || convert_to(array_to_json(parts)::text, 'UTF8'))), 1, ${PRINT_BYTES});
END $$;
CREATE FUNCTION log_name_print(kind text, id bigint) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT log_name_print(kind, id::text)
$$;
`

/** Where a link was seen in the input that is being read: in a file a function of this process (journal/reading/claims.ts). */
export const claimedLine = `
CREATE FUNCTION claimed_line(of_input bigint, of_link bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT line FROM claim_link WHERE input = of_input AND link = of_link);
END $$;
`

export const FUNCTIONS = [texts, values, prints, claimedLine].join('')
