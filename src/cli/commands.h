// The function of each command; the table of commands is in commands.cpp.
#pragma once

#include "cli/command.h"

namespace vibe::cli {

std::string version();

std::string first_steps();  // the output of bare `vibe`

Exit run_init(const Arguments& arguments, Terminal& terminal);
Exit run_schema(const Arguments& arguments, Terminal& terminal);
Exit run_doctor(const Arguments& arguments, Terminal& terminal);
Exit run_check(const Arguments& arguments, Terminal& terminal);
Exit run_get_runs(const Arguments& arguments, Terminal& terminal);
Exit run_get_run(const Arguments& arguments, Terminal& terminal);
Exit run_stop(const Arguments& arguments, Terminal& terminal);
Exit run_get_executions(const Arguments& arguments, Terminal& terminal);
Exit run_get_execution(const Arguments& arguments, Terminal& terminal);
Exit run_get_decisions(const Arguments& arguments, Terminal& terminal);
Exit run_get_suites(const Arguments& arguments, Terminal& terminal);
Exit run_get_suite(const Arguments& arguments, Terminal& terminal);
Exit run_set_suite(const Arguments& arguments, Terminal& terminal);
Exit run_get_org(const Arguments& arguments, Terminal& terminal);
Exit run_redeem(const Arguments& arguments, Terminal& terminal);
Exit run_get_models(const Arguments& arguments, Terminal& terminal);
Exit run_get_vars(const Arguments& arguments, Terminal& terminal);
Exit run_get_var(const Arguments& arguments, Terminal& terminal);
Exit run_get_secrets(const Arguments& arguments, Terminal& terminal);
Exit run_set_var(const Arguments& arguments, Terminal& terminal);
Exit run_set_secret(const Arguments& arguments, Terminal& terminal);
Exit run_delete_var(const Arguments& arguments, Terminal& terminal);
Exit run_delete_secret(const Arguments& arguments, Terminal& terminal);
Exit run_validate(const Arguments& arguments, Terminal& terminal);
Exit run_formula_check(const Arguments& arguments, Terminal& terminal);
Exit run_formula_functions(const Arguments& arguments, Terminal& terminal);
Exit run_import_promptfoo(const Arguments& arguments, Terminal& terminal);
Exit run_compare(const Arguments& arguments, Terminal& terminal);
Exit run_rescore(const Arguments& arguments, Terminal& terminal);
Exit run_score(const Arguments& arguments, Terminal& terminal);
Exit run_fitness_show(const Arguments& arguments, Terminal& terminal);
Exit run_fitness_score(const Arguments& arguments, Terminal& terminal);
Exit run_fitness_rubric(const Arguments& arguments, Terminal& terminal);
Exit run_fitness_collect(const Arguments& arguments, Terminal& terminal);
Exit misused_fitness_collect(std::span<const std::string> words, const base::Diagnostics& problems,
                             Terminal& terminal);
Exit run_fitness_trend(const Arguments& arguments, Terminal& terminal);
Exit run_fitness_decide(const Arguments& arguments, Terminal& terminal);
Exit run_fitness_calibrate(const Arguments& arguments, Terminal& terminal);
Exit run_serve(const Arguments& arguments, Terminal& terminal);
Exit run_orgs_create(const Arguments& arguments, Terminal& terminal);
Exit run_orgs_list(const Arguments& arguments, Terminal& terminal);
Exit run_orgs_set(const Arguments& arguments, Terminal& terminal);
Exit run_keys_create(const Arguments& arguments, Terminal& terminal);
Exit run_keys_list(const Arguments& arguments, Terminal& terminal);
Exit run_keys_revoke(const Arguments& arguments, Terminal& terminal);
Exit run_invites_create(const Arguments& arguments, Terminal& terminal);
Exit run_invites_list(const Arguments& arguments, Terminal& terminal);
Exit run_completion(const Arguments& arguments, Terminal& terminal);
Exit run_version(const Arguments& arguments, Terminal& terminal);

}  // namespace vibe::cli
