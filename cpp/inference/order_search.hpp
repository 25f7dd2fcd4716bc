// Better orders of elimination for circuits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "inference/compile.hpp"

namespace ldag {

// An order, and how large its circuit will be, about.
struct CircuitOrder {
    std::vector<std::uint32_t> order;
    double n_products = 0.0;
    std::uint32_t node = 0;          // summing this one out takes the most
    std::vector<std::uint32_t> cut;  // the variables that what is summed then depends on
};

struct OrderEffort {
    double per_product = 0.0;  // numbers to be worked out for each product of the circuit, to make it smaller
    double largest =
        std::numeric_limits<double>::infinity();  // nothing is made better beyond so many products
};

// Tells how large the circuits of some orders will be, by what can be told beforehand (OrderCosts), and makes
// the best one better, and those that are hardly worse where circuits are small. Variables are moved, the
// dearest first, past their neighbours in both directions, to the best place on the way. What happens before
// and after two neighbours does not depend on which of them is first, so a move past one is worked out from
// two steps. Stops when nothing helps, or after about as much work as compiling will take: a better order
// cannot save more. Returns the orders, the best first. `poll` may stop the work.
std::vector<CircuitOrder> improve_orders(const NetworkShape& network,
                                         std::vector<std::vector<std::uint32_t>> orders,
                                         const OrderEffort& effort, const std::function<bool()>& poll = {});

// How many products the circuit of an order will have, with care: it takes up to a few seconds.
double count_products(const NetworkShape& network, std::span<const std::uint32_t> order,
                      const std::function<bool()>& poll = {});

}  // namespace ldag
