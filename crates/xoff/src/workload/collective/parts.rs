//! Bytes of the parts of a collective: all alike, by shares of the ranks, or by a matrix in a file.

use std::sync::Arc;

use super::super::csv_rows;
use super::super::setup::Setup;
use crate::application::collective::Plan;
use crate::application::matrix::Matrix;
use crate::application::schedule::Operation;
use crate::kernel::units::Bytes;
use crate::scenario::{self, MOST_BYTES, ScenarioError};

/// Returns the bytes that a rank begins or ends with, and those of each rank for each other where these differ.
pub(super) fn of_group(
    settings: &scenario::Collective,
    ranks: u32,
    setup: &Setup<'_>,
) -> Result<(Bytes, Option<Arc<Matrix>>), ScenarioError> {
    let scenario::Collective { operation, size, shares, matrix, .. } = settings;
    let uneven = [("shares", shares.is_some()), ("matrix", matrix.is_some())];
    if let Some((key, _)) = uneven.iter().find(|(_, is_there)| *is_there && *operation != Operation::AllToAll)
    {
        let problem = format!("all parts of \"{}\" are alike", operation.name());
        return Err(setup.error(key, problem, "expected operation = \"all_to_all\" beside it"));
    }
    if let Some(file) = matrix {
        let beside = [("size", size.is_some()), ("shares", shares.is_some())];
        if let Some((key, _)) = beside.iter().find(|(_, is_there)| *is_there) {
            return Err(setup.error(key, "is there beside matrix", "expected one of them"));
        }
        let matrix = read(file, ranks, setup)?;
        return Ok((matrix.largest(), Some(Arc::new(matrix))));
    }
    let missing = || {
        let expected = "expected the bytes that a rank begins with or, if it gathers, ends with, as \"4MB\"";
        ScenarioError::missing(setup.key("size"), expected)
    };
    let size = setup.size_of("size", size.ok_or_else(missing)?)?;
    let Some(shares) = shares else { return Ok((size, None)) };
    if shares.len() != ranks as usize {
        let problem = format!("has {} numbers", shares.len());
        return Err(setup.error(
            "shares",
            problem,
            &format!("expected {ranks}, one for each rank of a group"),
        ));
    }
    if shares.iter().all(|&share| share == 0) {
        return Err(setup.error("shares", "is all zeros", "expected a number above 0 for some rank"));
    }
    if u128::from(size.get()) * u128::from(ranks) > u128::from(MOST_BYTES) {
        let expected = format!("expected at most {}B with shares", MOST_BYTES / u64::from(ranks));
        return Err(setup.error("size", format!("is {}B", size.get()), &expected));
    }
    Ok((size, Some(Arc::new(Matrix::of_shares(shares, size)))))
}

/// Reads a matrix of bytes, a row for each sender and in it a number for each receiver.
fn read(file: &str, ranks: u32, setup: &Setup<'_>) -> Result<Matrix, ScenarioError> {
    let text = setup.text("matrix", file)?;
    let each = format!("expected {ranks}, one for each rank of a group");
    let (mut bytes, mut rows, mut left) = (Vec::new(), 0, MOST_BYTES);
    csv_rows::for_each_row_without_header(file, text, "rows of whole numbers", |at, record| {
        if record.len() != ranks as usize {
            return Err(ScenarioError::at(at, format!("has {} numbers", record.len()), &each));
        }
        for (field, place) in record.iter().zip(1..) {
            let number = csv_rows::whole_number(at, &format!("number {place}"), field, 0..=left)?;
            left -= number;
            bytes.push(number);
        }
        rows += 1;
        Ok(())
    })?;
    if rows != ranks {
        return Err(setup.error("matrix", format!("\"{file}\" has {rows} rows"), &each));
    }
    Ok(Matrix::new(ranks, bytes))
}

/// Rejects parts that have fewer bytes than flows, and ranks that have nothing for one another.
pub(super) fn check(plan: &Plan, setup: &Setup<'_>) -> Result<(), ScenarioError> {
    let part = match &plan.matrix {
        None => Some(plan.schedule.part()),
        Some(_) => plan.parts().map(|(_, _, size)| size).min(),
    };
    let Some(part) = part.map(Bytes::get) else {
        let problem = "no rank has a byte for another";
        return Err(setup.error("matrix", problem, "expected a number above 0 beside the diagonal"));
    };
    if part < u64::from(plan.flows_per_part) {
        let problem = format!("is {}", plan.flows_per_part);
        let expected = format!("expected at most {part}, the bytes of a part");
        return Err(setup.error("flows_per_part", problem, &expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{scenario, source_with, star};
    use super::super::super::{Files, plans};
    use super::*;

    const ALL_TO_ALL: &str = "kind = 'collective'\noperation = 'all_to_all'";

    fn plan(keys: &str, matrix: &str) -> Result<Plan, ScenarioError> {
        let files = Files::from([("bytes.csv".to_owned(), matrix.to_owned())]);
        let source = source_with(&scenario(&star(4), &format!("{ALL_TO_ALL}\n{keys}")), &files)?.1;
        Ok(plans(&[source])?.collective(0).unwrap().clone())
    }

    fn parts(plan: &Plan) -> Vec<(u32, u32, u64)> {
        plan.parts().map(|(from, to, size)| (from, to, size.get())).collect()
    }

    #[test]
    fn shares_and_rows_are_what_ranks_send_and_zeros_are_no_flows() {
        let by_shares = plan("size = '700B'\nshares = [4, 1, 1, 1]", "").unwrap();
        assert_eq!(parts(&by_shares)[..4], [(0, 1, 100), (0, 2, 100), (0, 3, 100), (1, 2, 100)]);
        assert_eq!(
            by_shares.parts().filter(|&(_, to, _)| to == 0).map(|(.., size)| size.get()).sum::<u64>(),
            1_200
        );
        let by_matrix = plan("matrix = 'bytes.csv'", "9,1,0,2\n0,9,0,0\n\n 5, 6,9,0\n0,0,7,0\n").unwrap();
        assert_eq!(parts(&by_matrix), [(0, 1, 1), (0, 3, 2), (2, 0, 5), (2, 1, 6), (3, 2, 7)]);
        assert_eq!(by_matrix.schedule.size, Bytes::new(20));
    }

    #[test]
    fn what_is_no_matrix_and_no_shares_is_refused() {
        let shares = |keys: &str| plan(&format!("size = '1MB'\n{keys}"), "").unwrap_err().to_string();
        let matrix = |text: &str| plan("matrix = 'bytes.csv'", text).unwrap_err().to_string();
        let whole = "expected a whole number, at least 0 and at most 281474976710656";
        for (error, expected) in [
            (
                shares("shares = [4, 1]"),
                "workload[0].shares: has 2 numbers; expected 4, one for each rank of a group".to_owned(),
            ),
            (
                shares("shares = [0, 0, 0, 0]"),
                "workload[0].shares: is all zeros; expected a number above 0 for some rank".to_owned(),
            ),
            (
                shares("matrix = 'bytes.csv'"),
                "workload[0].size: is there beside matrix; expected one of them".to_owned(),
            ),
            (
                shares("shares = [900000, 1, 1, 1]\nflows_per_part = 4"),
                "workload[0].flows_per_part: is 4; expected at most 1, the bytes of a part".to_owned(),
            ),
            (
                plan("size = '100000GB'\nshares = [1, 1, 1, 1]", "").unwrap_err().to_string(),
                "workload[0].size: is 100000000000000B; expected at most 70368744177664B with shares".to_owned(),
            ),
            (
                matrix("0,1,1,1\n1,0,1\n"),
                "bytes.csv line 2: has 3 numbers; expected 4, one for each rank of a group".to_owned(),
            ),
            (
                matrix("0,1,1,1\n1,0,1,1\n"),
                "workload[0].matrix: \"bytes.csv\" has 2 rows; expected 4, one for each rank of a group".to_owned(),
            ),
            (matrix("0,1,1,1\n1,0,-1,1\n"), format!("bytes.csv line 2: number 3 is \"-1\"; {whole}").replace("656", "652")),
            (matrix("a,b,c,d\n"), format!("bytes.csv line 1: number 1 is \"a\"; {whole}")),
            (matrix("0.5,1,1,1\n"), format!("bytes.csv line 1: number 1 is \"0.5\"; {whole}")),
            (
                matrix("1,0,0,0\n0,1,0,0\n0,0,1,0\n0,0,0,1\n"),
                "workload[0].matrix: no rank has a byte for another; expected a number above 0 beside the diagonal".to_owned(),
            ),
        ] {
            assert_eq!(error, expected);
        }
        let all_reduce = "kind = 'collective'\noperation = 'all_reduce'\nsize = '1MB'\nshares = [4, 1, 1, 1]";
        assert_eq!(
            super::super::super::testing::refusal(&star(4), all_reduce),
            "workload[0].shares: all parts of \"all_reduce\" are alike; expected operation = \"all_to_all\" beside it"
        );
    }
}
