#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "class_maps.hpp"
#include "inference/counting_tables.hpp"
#include "inference/junction_tree.hpp"
#include "inference/sums.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Probabilities = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Drawn = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>;
using Likelihoods = std::vector<std::pair<std::uint32_t, std::vector<double>>>;

bool interrupted() {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

PyObject* too_large_error = nullptr;  // set when the module is loaded, never changed

// A network on the caller's arrays, and its junction tree once it was asked for.
class Sums {
  public:
    Sums(std::vector<std::uint32_t> n_states, std::vector<std::vector<std::uint32_t>> parents,
         std::vector<FamilyClasses> classes, std::vector<Probabilities> probabilities, bool is_normalised)
        : classes_(std::move(classes)), probabilities_(std::move(probabilities)) {
        const std::size_t n = n_states.size();
        if (parents.size() != n || classes_.size() != n || probabilities_.size() != n)
            throw nb::value_error("expected parents, classes and probabilities of every node");
        network_.n_states = std::move(n_states);
        network_.is_normalised = is_normalised;
        for (std::size_t node = 0; node < n; ++node) {
            const std::vector<std::uint32_t> above = states_of(parents[node], network_.n_states);
            network_.families.push_back({std::move(parents[node]),
                                         class_map_of(classes_[node], above, probabilities_[node].shape(0)),
                                         {probabilities_[node].data(), probabilities_[node].size()}});
        }
    }

    const ldag::SumsNetwork& network() const { return network_; }

    const ldag::JunctionTree& tree() {
        const std::lock_guard locked(mutex_);
        if (!tree_) {
            ldag::EliminationTask task{
                network_.n_states, {}, std::vector<std::uint8_t>(network_.n_states.size(), 1)};
            for (std::uint32_t node = 0; node < network_.n_states.size(); ++node) {
                task.scopes.push_back(network_.families[node].parents);
                task.scopes.back().push_back(node);
            }
            ldag::EliminationSearch search;
            search.poll = interrupted;
            tree_ = std::make_shared<const ldag::JunctionTree>(network_,
                                                               ldag::find_eliminations(task, search)[0]);
        }
        return *tree_;
    }

    // The same classes with other probabilities; the junction tree is shared.
    std::unique_ptr<Sums> with_probabilities(std::vector<Probabilities> probabilities, bool is_normalised) {
        tree();
        std::vector<std::vector<std::uint32_t>> parents;
        for (const ldag::SumsFamily& family : network_.families) parents.push_back(family.parents);
        auto other = std::make_unique<Sums>(network_.n_states, std::move(parents), classes_,
                                            std::move(probabilities), is_normalised);
        other->tree_ = tree_;
        return other;
    }

    std::size_t width() const {
        std::size_t width = 0;
        for (const std::uint32_t n : network_.n_states) width += n;
        return width;
    }

  private:
    std::vector<FamilyClasses> classes_;
    std::vector<Probabilities> probabilities_;
    ldag::SumsNetwork network_;
    std::mutex mutex_;
    std::shared_ptr<const ldag::JunctionTree> tree_;
};

// Works without the interpreter's lock; Ctrl-C and too little memory are errors.
template <class Work>
auto run(Work work) {
    try {
        const nb::gil_scoped_release unlocked;
        return work();
    } catch (const ldag::SumsTooLarge& error) {
        std::vector<std::uint32_t> nodes = {error.node};
        nodes.insert(nodes.end(), error.others.begin(), error.others.end());
        PyErr_SetObject(too_large_error, nb::make_tuple(nodes, error.n_cells, error.n_bytes).ptr());
    } catch (const ldag::SumsStopped&) {
    } catch (const ldag::EliminationStopped&) {
    }
    nb::raise_python_error();
}

ldag::Findings findings(const Sums& sums, std::vector<std::int32_t> seen, Likelihoods likelihoods) {
    const std::vector<std::uint32_t>& n_states = sums.network().n_states;
    if (seen.size() != n_states.size()) throw nb::value_error("one state per node, or -1");
    for (std::size_t node = 0; node < seen.size(); ++node)
        if (seen[node] < -1 || seen[node] >= static_cast<std::int32_t>(n_states[node]))
            throw nb::value_error("no such state");
    for (const auto& [node, weights] : likelihoods)
        if (node >= n_states.size() || seen[node] != -1 || weights.size() != n_states[node])
            throw nb::value_error("likelihoods are of the states of a node that was not seen");
    return {std::move(seen), std::move(likelihoods)};
}

Vector owned(std::vector<double> values) {
    auto kept = std::make_unique<std::vector<double>>(std::move(values));
    double* data = kept->data();
    const std::size_t size = kept->size();
    nb::capsule owner(kept.release(),
                      [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
    return Vector(data, {size}, owner);
}

// Cells of the junction tree, bytes of its messages, and the nodes of its largest clique.
std::tuple<double, double, std::vector<std::uint32_t>> plan(Sums& sums) {
    return run([&] {
        const ldag::JunctionTree& tree = sums.tree();
        std::vector<std::uint32_t> nodes;
        for (const ldag::Rank rank : tree.largest().members) nodes.push_back(tree.ranking().node_at[rank]);
        return std::tuple(tree.n_cells(), tree.n_bytes(), nodes);
    });
}

std::pair<double, Vector> marginals(Sums& sums, std::vector<std::int32_t> seen, Likelihoods likelihoods) {
    const ldag::Findings given = findings(sums, std::move(seen), std::move(likelihoods));
    std::vector<double> posteriors(sums.width());
    const double log_probability =
        run([&] { return sums.tree().marginals(sums.network(), given, posteriors, {0.0, interrupted}); });
    return {log_probability, owned(std::move(posteriors))};
}

std::tuple<double, Vector, double> joint(Sums& sums, const std::vector<std::uint32_t>& targets,
                                         std::vector<std::int32_t> seen, Likelihoods likelihoods,
                                         double max_bytes) {
    const ldag::Findings given = findings(sums, std::move(seen), std::move(likelihoods));
    ldag::JointAnswer answer =
        run([&] { return ldag::joint_posterior(sums.network(), given, targets, {max_bytes, interrupted}); });
    return {answer.log_probability, owned(std::move(answer.posterior)), answer.n_cells};
}

std::pair<double, double> log_probability(Sums& sums, std::vector<std::int32_t> seen, Likelihoods likelihoods,
                                          double max_bytes) {
    const ldag::Findings given = findings(sums, std::move(seen), std::move(likelihoods));
    const ldag::ProbabilityAnswer answer =
        run([&] { return ldag::log_probability(sums.network(), given, {max_bytes, interrupted}); });
    return {answer.log_probability, answer.n_cells};
}

std::pair<double, std::vector<std::uint32_t>> most_probable(Sums& sums,
                                                            const std::vector<std::uint32_t>& targets,
                                                            std::vector<std::int32_t> seen,
                                                            Likelihoods likelihoods, double max_bytes) {
    const ldag::Findings given = findings(sums, std::move(seen), std::move(likelihoods));
    ldag::MostProbable answer =
        run([&] { return ldag::most_probable(sums.network(), given, targets, {max_bytes, interrupted}); });
    return {answer.log_probability, std::move(answer.states)};
}

// ln P of every row of codes, and the expected counts of every family, class and state, side by side.
std::pair<Vector, Vector> expected_counts(Sums& sums, const Rows& rows, const Weights& weights,
                                          std::size_t n_threads, double max_bytes) {
    if (rows.shape(1) != sums.network().n_states.size())
        throw nb::value_error("one state per node in each row");
    if (weights.size() != rows.shape(0)) throw nb::value_error("one weight per row");
    std::size_t n_parameters = 0;
    for (const ldag::SumsFamily& family : sums.network().families)
        n_parameters += family.probabilities.size();
    std::vector<double> logs(rows.shape(0));
    std::vector<double> counts(n_parameters);
    const bool stopped = run([&] {
        return ldag::expected_counts(sums.tree(), sums.network(),
                                     {{rows.data(), rows.size()}, {weights.data(), weights.size()}}, logs,
                                     counts, max_bytes, {n_threads, interrupted});
    });
    if (stopped || PyErr_Occurred()) nb::raise_python_error();
    return {owned(std::move(logs)), owned(std::move(counts))};
}

// The posterior of the target in every row, one after the other, and the cells that each row took.
std::pair<Vector, Vector> row_posteriors(Sums& sums, std::uint32_t target, const Rows& rows,
                                         std::size_t n_threads, double max_bytes) {
    const std::vector<std::uint32_t>& n_states = sums.network().n_states;
    if (rows.shape(1) != n_states.size() || target >= n_states.size())
        throw nb::value_error("one state per node in each row, and a target among them");
    std::vector<double> posteriors(rows.shape(0) * n_states[target]);
    std::vector<double> n_cells(rows.shape(0));
    const bool stopped = run([&] {
        return ldag::row_posteriors(sums.network(), target, {rows.data(), rows.size()}, posteriors, n_cells,
                                    max_bytes, {n_threads, interrupted});
    });
    if (stopped || PyErr_Occurred()) nb::raise_python_error();
    return {owned(std::move(posteriors)), owned(std::move(n_cells))};
}

// Rows of states, a column per node; none if the findings are impossible.
Drawn draw(Sums& sums, std::vector<std::int32_t> seen, Likelihoods likelihoods, std::size_t n_rows,
           std::uint64_t seed, double max_bytes) {
    const ldag::Findings given = findings(sums, std::move(seen), std::move(likelihoods));
    const std::size_t n = sums.network().n_states.size();
    auto states = std::make_unique<std::uint16_t[]>(n_rows * n);
    const bool is_possible = run([&] {
        return ldag::draw_posterior(sums.network(), given, n_rows, seed, {states.get(), n_rows * n},
                                    {max_bytes, interrupted});
    });
    nb::capsule owner(states.get(), [](void* data) noexcept { delete[] static_cast<std::uint16_t*>(data); });
    return Drawn(states.release(), {is_possible ? n_rows : 0, n}, owner);
}

}  // namespace

void register_sums(nb::module_& module) {
    too_large_error = PyErr_NewException("ldag._native.SumsTooLarge", PyExc_Exception, nullptr);
    module.attr("SumsTooLarge") = nb::borrow(too_large_error);
    nb::class_<Sums>(module, "Sums", "A network whose questions are answered by sums over tables.")
        .def(nb::init<std::vector<std::uint32_t>, std::vector<std::vector<std::uint32_t>>,
                      std::vector<FamilyClasses>, std::vector<Probabilities>, bool>(),
             nb::arg("n_states"), nb::arg("parents"), nb::arg("classes"), nb::arg("probabilities"),
             nb::arg("is_normalised") = true)
        .def("with_probabilities", &Sums::with_probabilities, nb::arg("probabilities"),
             nb::arg("is_normalised"))
        .def("expected_counts", &expected_counts, nb::arg("rows"), nb::arg("weights"), nb::arg("n_threads"),
             nb::arg("max_bytes"))
        .def("plan", &plan)
        .def("marginals", &marginals, nb::arg("seen"), nb::arg("likelihoods"))
        .def("joint", &joint, nb::arg("targets"), nb::arg("seen"), nb::arg("likelihoods"),
             nb::arg("max_bytes"))
        .def("row_posteriors", &row_posteriors, nb::arg("target"), nb::arg("rows"), nb::arg("n_threads"),
             nb::arg("max_bytes"))
        .def("log_probability", &log_probability, nb::arg("seen"), nb::arg("likelihoods"),
             nb::arg("max_bytes"))
        .def("most_probable", &most_probable, nb::arg("targets"), nb::arg("seen"), nb::arg("likelihoods"),
             nb::arg("max_bytes"))
        .def("draw", &draw, nb::arg("seen"), nb::arg("likelihoods"), nb::arg("n_rows"), nb::arg("seed"),
             nb::arg("max_bytes"));
}
