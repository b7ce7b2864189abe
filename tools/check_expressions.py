# ruff: noqa: E501 -- texts, as they are recorded
"""Texts for CHECK constraints, by what they are about; the recordings say what Delta does."""

_LITERALS = """
true | false | NULL | TRUE | 1 | 0 | 1.5 | 'x' | "x" | '' | 1L | 1S | 1Y | 1.5D | 1.5F | 1.5BD | 1e3
X'1F' | DATE '2020-01-01' | TIMESTAMP '2020-01-01 00:00:00' | TIMESTAMP_NTZ '2020-01-01 00:00:00'
INTERVAL '1' DAY | INTERVAL 1 DAY | 'true' | CAST('true' AS BOOLEAN) | CAST(1 AS BOOLEAN)
CAST(NULL AS BOOLEAN) | 99999999999 | 99999999999999999999999999999999999999999 | -1 | 'a' 'b'
DATE 'nonsense' | r'x' | TIME '10:00:00' | 1 = 1 | NULL = NULL | (true) | ((true)) | NOT true
"""

_COLUMNS = """
a | b | c | d | dec | l | sm | f | dt | ts | tn | bin | arr | m | s | v | p | st | `odd-name` | `a`
(a) | (c) | ((c)) | `c` | C | A | s.x | s.z | s.y | S.Z | s.nosuch | arr[0] | m['k'] | s.x.y | a.x
nosuch | `no such` | t.a | constrained.c | c.c | s.* | * | a AS x | c AS x | c x | odd name
arr.x | m.k | m.k > 0 | b.x | `s.x` | s['x'] | arr['x'] | arr[a] > 0 | m[a] > 0 | m[b] > 0
"""

_COMPARISONS = """
a > 0 | a >= 0 | a < 0 | a <= 0 | a = 0 | a == 0 | a <> 0 | a != 0 | a <=> 0 | a <=> NULL | a !> 0
a !< 0 | a > b | a = b | a > '1' | a > 'x' | a = 'x' | a > 1.5 | a > l | a > d | a > dec | a > dt
dt > '2020-01-01' | dt > 'x' | dt > ts | dt > a | ts > '2020-01-01' | ts > a | ts > tn | dt = tn
b > 'x' | b = 1 | b > dt | b = c | c = true | c = 'true' | c = 1 | c > 0 | c = 0 | c < true | c > a
bin = X'00' | bin = 'x' | bin > b | bin = a | arr = arr | arr > array(1) | arr = array('x') | m = m
m > m | s = s | s > s | s = named_struct('x', 1, 'y', 'q', 'z', true) | s = 1 | arr = 1 | v = v
v > 1 | v = 'x' | v IS NULL | d > 'x' | f > 1 | sm > 100000 | dec > 123456789012.123 | l > a
a > 0 > 1 | a = 0 = true | c = c = c | (a > 0) = (b = 'x') | (a > 0) = 1 | a > NULL | NULL > 1
DATE '2020-01-01' > dt | '1' > a | 'x' = 'x' | 1 = '1' | 1 = 'x' | 1 < true | a > true | a = true
INTERVAL 1 DAY > INTERVAL 2 DAY | dt = INTERVAL 1 DAY | a > INTERVAL 1 DAY | a > (0) | a>0 | a> -1
s.x > 0 | s.z = true | s.y > 0 | m['k'] > 0 | m[1] > 0 | arr[0] > 0 | v:x > 0 | a = nosuch
"""

_LOGIC = """
a > 0 AND b = 'x' | a > 0 OR c | NOT c | NOT a | NOT a > 0 | NOT (a > 0) | ! c | ! a | !(a > 0) | a AND c
c AND a | c AND 1 | c AND 'x' | c AND 'true' | c OR NULL | NULL AND c | c AND NULL | c OR b | c XOR c
a AND b | c AND c AND a | c OR a > 0 AND b | c AND nosuch | c AND (a > 0 OR d > 1) | c && c
a & 1 | a & 1 = 1 | a | 1 | (a & 1) = 1 | ~a = 1 | ~a | a ^ 1 = 0 | a || b | b || 'x' | b || 'x' = 'yx'
c IS TRUE | a IS TRUE | c IS NOT TRUE | c IS UNKNOWN | a IS NULL | a IS NOT NULL | s IS NULL
arr IS NOT NULL | nosuch IS NULL | a IS FALSE | b IS TRUE | c IS NOT FALSE | c IS NOT UNKNOWN
a IS DISTINCT FROM 1 | a IS NOT DISTINCT FROM 1 | a IS NOT DISTINCT FROM b | a IS DISTINCT FROM dt
a IS | IS NULL | AND c | c AND | c OR OR c | NOT | a > | > 0 | () | a > 0) | (a > 0 | a 0 | a > 0,
c c | c, c | a > 0; | a := 1 | c AND AND c | NOT NOT c | NOT c IS NULL | a > 0 IS TRUE | - c | + c
"""

_PREDICATES = """
a BETWEEN 0 AND 9 | a NOT BETWEEN 0 AND 9 | a BETWEEN 0 | a BETWEEN 'x' AND 'y' | a BETWEEN c AND 9
dt BETWEEN '2020-01-01' AND '2021-01-01' | b BETWEEN 'a' AND 'z' | a BETWEEN 0 AND dt
a BETWEEN 0 AND 9 AND c | c BETWEEN true AND false | arr BETWEEN 0 AND 1 | a BETWEEN SYMMETRIC 0 AND 9
a IN (1, 2) | a NOT IN (1, 2) | a IN () | a IN (1) | a IN ('x') | a IN ('1') | b IN (1, 2) | a IN (c)
a IN (1, 'x') | b IN ('x', 'y') | (a, b) IN ((1, 'x')) | a IN (NULL) | a IN (1, dt) | s.x IN (1)
dt IN ('2020-01-01') | c IN (true, false) | arr IN (array(1)) | m IN (m) | a IN (SELECT 1)
b LIKE 'x%' | b NOT LIKE 'x%' | b LIKE a | a LIKE '1%' | b LIKE 'x' ESCAPE '!' | b RLIKE 'x'
b REGEXP 'x' | b ILIKE 'x' | b LIKE ANY ('x', 'y') | b LIKE ALL ('x') | b NOT LIKE ALL ('x', 'y')
b LIKE | dt LIKE '2020%' | arr LIKE 'x' | c LIKE 'x' | b SIMILAR TO 'x' | b ILIKE ANY ('x')
bin LIKE 'x' | b RLIKE 1 | b LIKE NULL | b NOT RLIKE 'x' | b NOT REGEXP 'x' | b LIKE 'x\\_y'
EXISTS (SELECT 1) | a = (SELECT 1) | a > ANY (SELECT 1) | (SELECT true) | (SELECT c)
CASE WHEN a > 0 THEN true ELSE false END | CASE WHEN a > 0 THEN 1 ELSE 0 END | CASE a WHEN 1 THEN c END
CASE WHEN a THEN true END | CASE WHEN c THEN c ELSE a END | CASE WHEN c THEN b ELSE 'x' END = 'x'
CASE WHEN a > 0 THEN c | CASE END | CASE WHEN c THEN NULL ELSE true END | CASE WHEN c THEN true ELSE 'x' END
IF(a > 0, true, false) | IF(a > 0, 1, 0) | IF(a, true, false) | IF(c, c, NULL) | IF(c) | if(c, true, 1)
"""

_ARITHMETIC = """
a + 1 | a + 1 > 0 | a - 1 > 0 | a * 2 > 0 | a / 2 > 0 | a % 2 = 0 | a DIV 2 > 0 | a MOD 2 = 0 | -a > 0
- a | +a > 0 | a + b > 0 | a + 'x' > 0 | a + c > 0 | a + dt > 0 | dt + 1 > dt | dt - dt > INTERVAL 1 DAY
dt + INTERVAL 1 DAY > dt | ts + INTERVAL 1 HOUR > ts | ts - ts > INTERVAL 0 SECOND | c + c | c + c > 0
a + | + | a ++ 1 > 0 | a - - 1 > 0 | a -- 1 > 0 | b + 1 > 0 | b * b > 0 | arr + 1 > 0 | s + 1 > 0 | 1 / 0 > 0
a / 0 > 0 | dec * dec > 0 | d ** 2 > 0 | a + NULL > 0 | NULL + 1 | a > 1 + c | dt - 1 > dt | dt * 2 > dt
-b > 0 | - dt > 0 | -c | a + 1 = b + 1 | a + 1 > 'x' | (a + 1) * 2 > l - 3 | a + s.x > 0 | b + c > 0
INTERVAL 1 DAY * 2 > INTERVAL 1 DAY | dt + a > dt | dt + b > dt | ts + 1 > ts | tn + INTERVAL 1 DAY > tn
-INTERVAL 1 DAY < INTERVAL 1 DAY | 2147483647 + 1 > 0 | a << 1 > 0 | a >> 1 > 0 | arr + arr = arr
"""

_FUNCTIONS = """
nosuch(a) | nosuch(a) > 0 | nosuch() | nosuch(a, b) = 1 | my.nosuch(a) | x.y.nosuch(a) | `upper`(b) = 'X'
c AND nosuch(a) | upper(nosuch(b)) = 'x' | nosuch(a) IS NULL | NOT nosuch(a) | my_python_function(c)
my_sql_function(a) | my_python_function(a) AND c | upper(b) | upper(b) = 'X' | UPPER(B) = 'X' | length(b)
length(b) > 0 | length(a) > 0 | length(b, b) > 0 | length() > 0 | length(nosuch) > 0 | lower(b, 1) = 'x'
char_length(b) < 5 | trim(b) = b | TRIM(BOTH 'x' FROM b) = b | TRIM(LEADING FROM b) = b | substring(b, 1, 2) = 'x'
SUBSTRING(b FROM 1 FOR 2) = 'x' | POSITION('x' IN b) > 0 | OVERLAY(b PLACING 'x' FROM 1) = b | concat(b, 'x') = b
EXTRACT(YEAR FROM dt) > 2000 | EXTRACT(NOSUCH FROM dt) > 2000 | year(dt) > 2000 | year(a) > 1 | year(b) > 1
CAST(a AS STRING) = '1' | CAST(a AS NOSUCH) = 1 | CAST(b AS INT) > 0 | CAST(a AS DATE) > dt | a::STRING = '1'
TRY_CAST(b AS INT) > 0 | CAST(c AS INT) | CAST(a AS BOOLEAN) | CAST(b AS BOOLEAN) | CAST(arr AS INT) > 0
CAST(dt AS BOOLEAN) | CAST(d AS BOOLEAN) | CAST(b AS DECIMAL(10,2)) > 0 | CAST(arr AS ARRAY<STRING>) = array('1')
coalesce(c, true) | coalesce(a, 0) | coalesce(a, 0) > 0 | coalesce(a, 'x') = 1 | nvl(c, false) | nullif(c, true)
ifnull(a, 0) > 0 | nullif(a, 0) > 0 | isnull(a) | isnotnull(a) | isnan(d) | abs(a) > 0 | abs(b) > 0 | abs(c) > 0
abs(a) | round(d) > 0 | round(d, 2) > 0 | floor(d) > 0 | ceil(d) > 0 | sqrt(a) > 0 | pow(a, 2) > 0 | greatest(a, 1) > 0
least(a, b) > 0 | greatest(a) > 0 | size(arr) > 0 | size(a) > 0 | cardinality(m) > 0 | array_contains(arr, 1)
array_contains(arr, 'x') | array_contains(a, 1) | map_keys(m) | element_at(arr, 1) > 0 | exists(arr, x -> x > 0)
forall(arr, x -> x > 0) | forall(arr, x -> x) | filter(arr, x -> x > 0) | size(filter(arr, x -> x > 0)) > 0
transform(arr, x -> x + 1) = arr | aggregate(arr, 0, (acc, x) -> acc + x) > 0 | exists(arr, x -> x > a)
exists(arr, x -> nosuch > x) | startswith(b, 'x') | contains(b, 'x') | endswith(b, 'x') | starts_with(b, 'x')
regexp(b, 'x') | regexp_like(b, 'x') | rlike(b, 'x') | like(b, 'x') | json_tuple(b, 'x') | get_json_object(b, '$.x') = 'y'
from_json(b, 'x INT').x > 0 | to_date(b) > dt | date_add(dt, 1) > dt | datediff(dt, dt) > 0 | to_timestamp(b) > ts
current_date() > dt | current_date > dt | current_timestamp() > ts | current_timestamp > ts | now() > ts | current_user() = b
current_user = b | session_user() = b | current_catalog() = b | current_database() = b | current_timezone() = b
localtimestamp() > tn | unix_timestamp() > 0 | unix_timestamp(ts) > 0 | version() = b | uuid() = b | rand() > 0.5 | randn() > 0
random() > 0.5 | rand(1) > 0.5 | shuffle(arr) = arr | monotonically_increasing_id() > 0 | spark_partition_id() >= 0
input_file_name() = b | input_file_block_start() > 0 | raise_error('x') | assert_true(c) | assert_true(a > 0) IS NULL
typeof(a) = 'int' | hash(a) > 0 | md5(b) = b | sha2(b, 256) = b | crc32(b) > 0 | xxhash64(a) > 0 | base64(bin) = b | hex(a) = b
count(a) > 0 | count(*) > 0 | count(1) > 0 | sum(a) > 0 | max(a) = a | min(a) > 0 | avg(a) > 0 | bool_and(c) | every(c)
any(c) | some(c) | first(a) > 0 | collect_list(a) = arr | approx_count_distinct(a) > 0 | count(DISTINCT a) > 0
sum(a) FILTER (WHERE a > 0) > 0 | percentile(a, 0.5) > 0 | listagg(b) = b | mode(a) > 0 | any_value(a) > 0 | c AND count(a) > 0
row_number() OVER (ORDER BY a) > 0 | sum(a) OVER (PARTITION BY b) > 0 | rank() OVER (ORDER BY a) = 1 | lag(a) > 0
lag(a) OVER (ORDER BY a) > 0 | row_number() > 0 | count(*) OVER () > 0 | ntile(2) OVER (ORDER BY a) = 1 | a > sum(a) OVER ()
explode(arr) > 0 | explode(arr) | posexplode(arr) | inline(array(s)) | stack(1, a) | range(1) | window(ts, '1 day')
struct(a) = struct(1) | struct(a) | named_struct('x', a).x > 0 | array(a) | array(a)[0] > 0 | map('x', a)['x'] > 0
grouping(a) = 1 | grouping_id() > 0 | window_time(a) > ts | session_window(ts, '1 day') | try_add(a, 1) > 0 | try_divide(a, 2) > 1
decode(b, 'x', true, false) | encode(b, 'utf-8') = bin | bit_count(a) > 0 | bool(a) | boolean(a) | int(b) > 0 | string(a) = '1'
date(b) > dt | nvl2(a, true, false) | nvl2(a, 1, 2) | zeroifnull(a) > 0 | nullifzero(a) > 0 | equal_null(a, 1) | to_json(s) = b
is_variant_null(v) | variant_get(v, '$.x', 'int') > 0 | parse_json(b) = v | parse_json(b) IS NULL | schema_of_json('1') = b
ilike(b, 'x') | bit_get(a, 0) = 1 | getbit(a, 0) = 1 | is_valid_utf8(b) | reflect('java.lang.Math', 'abs', a) = '1'
java_method('java.lang.Math', 'abs', a) = '1' | a COLLATE UTF8_LCASE = b | b COLLATE UTF8_LCASE = 'x' | b COLLATE NOSUCH = 'x'
collation(b) = 'x' | ai_query('m', b) = 'x' | st_contains(b, b) | try_to_number(b, '99') > 0 | luhn_check(b) | sequence(1, a) = arr
array_position(arr, 1) > 0 | arrays_overlap(arr, arr) | map_contains_key(m, 'x') | sort_array(arr) = arr | in(a, 1) | not(c) | and(c, c)
ipv4(b) = b | timestamp_seconds(a) > ts | make_date(a, 1, 1) > dt | date_trunc('day', ts) = ts | trunc(dt, 'MM') = dt
"""

EXPRESSIONS = tuple(
    dict.fromkeys(
        text.strip().replace("⎸", "|")
        for block in (
            _LITERALS,
            _COLUMNS,
            _COMPARISONS,
            _LOGIC,
            _PREDICATES,
            _ARITHMETIC,
            _FUNCTIONS,
        )
        for line in block.replace("||", "⎸⎸").replace("a | 1", "a ⎸ 1").splitlines()
        for text in line.split(" | ")
        if text.strip()
    )
)
"""Every text once, in the order of recording."""
