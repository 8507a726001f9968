package sql

// sqliteFunctions compute a value and do nothing else: SQLite 3.53's "Built-In
// Scalar SQL Functions", "Date And Time Functions", "Built-in Aggregate
// Functions", "Window Functions", "Built-In Mathematical SQL Functions", "JSON
// Functions And Operators", the auxiliary functions of FTS5 and R-Tree, and the
// functions of pragmas without side effects ("PRAGMA functions").
const sqliteFunctions = `
	abs changes char coalesce concat concat_ws format glob hex if ifnull iif instr last_insert_rowid length like likelihood
	likely lower ltrim max min nullif octet_length printf quote random randomblob replace round rtrim sign soundex
	sqlite_compileoption_get sqlite_compileoption_used sqlite_offset sqlite_source_id sqlite_version substr substring
	subtype total_changes trim typeof unhex unicode unistr unistr_quote unlikely upper zeroblob
	date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp
	avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc
	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
	acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power radians
	sin sinh sqrt tan tanh trunc
	json jsonb json_array jsonb_array json_array_length json_array_insert jsonb_array_insert json_error_position json_extract
	jsonb_extract json_insert jsonb_insert json_object jsonb_object json_patch jsonb_patch json_pretty json_remove
	jsonb_remove json_replace jsonb_replace json_set jsonb_set json_type json_valid json_quote json_group_array
	jsonb_group_array json_group_object jsonb_group_object json_each jsonb_each json_tree jsonb_tree
	generate_series cast bm25 highlight snippet offsets matchinfo match regexp rtreedepth
	pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_info pragma_index_list pragma_index_xinfo
	pragma_foreign_key_list pragma_foreign_key_check pragma_database_list pragma_collation_list pragma_function_list
	pragma_module_list pragma_pragma_list pragma_compile_options`
