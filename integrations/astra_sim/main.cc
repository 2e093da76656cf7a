// ASTRA-sim over xoff: takes ASTRA-sim's workload, system and memory files, and a scenario of xoff as the network.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "extern/remote_memory_backend/analytical/AnalyticalRemoteMemory.hh"
#include "network.hh"

namespace {

const char *const USAGE =
    "usage: astra_xoff --workload-configuration=PREFIX --system-configuration=FILE\n"
    "                  --remote-memory-configuration=FILE --network-configuration=SCENARIO.toml\n"
    "                  [--comm-group-configuration=FILE] [--logical-dims=4,8] [--num-queues-per-dim=1]\n";

std::map<std::string, std::string> options_of(int argc, char *argv[]) {
    std::map<std::string, std::string> options{{"comm-group-configuration", "empty"}, {"num-queues-per-dim", "1"}};
    for (int index = 1; index < argc; index++) {
        const std::string argument = argv[index];
        const auto equals = argument.find('=');
        if (argument.rfind("--", 0) != 0 || equals == std::string::npos) {
            std::fprintf(stderr, "%s: expected --OPTION=VALUE\n%s", argument.c_str(), USAGE);
            std::exit(2);
        }
        options[argument.substr(2, equals - 2)] = argument.substr(equals + 1);
    }
    for (const char *needed : {"workload", "system", "remote-memory", "network"})
        if (options.count(std::string(needed) + "-configuration") == 0) {
            std::fprintf(stderr, "--%s-configuration: missing\n%s", needed, USAGE);
            std::exit(2);
        }
    return options;
}

// Ranks along each logical dimension: all along one, unless the options say otherwise.
std::vector<int> dimensions_of(const std::map<std::string, std::string> &options, int ranks) {
    const auto found = options.find("logical-dims");
    if (found == options.end()) return {ranks};
    std::vector<int> dimensions;
    std::istringstream text(found->second);
    int product = 1;
    for (std::string part; std::getline(text, part, ',');) {
        dimensions.push_back(std::atoi(part.c_str()));
        product *= dimensions.back();
    }
    if (product != ranks) {
        std::fprintf(stderr, "--logical-dims=%s: has %d ranks, and the scenario %d hosts\n", found->second.c_str(),
                     product, ranks);
        std::exit(2);
    }
    return dimensions;
}

}  // namespace

int main(int argc, char *argv[]) {
    auto options = options_of(argc, argv);
    AstraSim::LoggerFactory::init("empty");
    xoff::Simulation simulation(options["network-configuration"]);
    const auto dimensions = dimensions_of(options, simulation.ranks());
    const std::vector<int> queues(dimensions.size(), std::atoi(options["num-queues-per-dim"].c_str()));
    Analytical::AnalyticalRemoteMemory memory(options["remote-memory-configuration"]);
    std::vector<std::unique_ptr<xoff::NetworkApi>> networks;
    std::vector<std::unique_ptr<AstraSim::Sys>> systems;
    for (int rank = 0; rank < simulation.ranks(); rank++) {
        networks.push_back(std::make_unique<xoff::NetworkApi>(rank, simulation));
        systems.push_back(std::make_unique<AstraSim::Sys>(
            rank, options["workload-configuration"], options["comm-group-configuration"],
            options["system-configuration"], &memory, networks.back().get(), dimensions, queues, 1.0, 1.0, false));
    }
    for (auto &system : systems) system->workload->fire();
    const bool is_complete = simulation.run();
    const std::string report = simulation.finish();
    std::printf("%s\n", report.c_str());
    systems.clear();
    AstraSim::LoggerFactory::shutdown();
    if (!is_complete) std::fprintf(stderr, "some ranks have not finished their workload\n");
    return is_complete ? 0 : 1;
}
